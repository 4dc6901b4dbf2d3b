"""LocalEmu without the containers that it runs functions in, and with the updates of stacks and aliases that it lacks."""

from localemu.runtime.main import main
from localemu.services.cloudformation.resource_provider import OperationStatus, ProgressEvent
from localemu.services.cloudformation.resource_providers.aws_cloudformation_stack import CloudFormationStackProvider
from localemu.services.lambda_.invocation.docker_runtime_executor import DockerRuntimeExecutor
from localemu.services.lambda_.resource_providers.lambda_alias import LambdaAliasProvider


def nothing(cls, function_version):
    pass


def update_stack(self, request):
    wanted, known = request.desired_state, request.previous_state
    client = request.aws_client_factory.cloudformation
    change = client.create_change_set(
        StackName=known["Id"],
        ChangeSetName="nested",
        ChangeSetType="UPDATE",
        TemplateURL=wanted["TemplateURL"],
        Parameters=[
            {"ParameterKey": key, "ParameterValue": value} for key, value in wanted.get("Parameters", {}).items()
        ],
        Capabilities=["CAPABILITY_IAM", "CAPABILITY_NAMED_IAM", "CAPABILITY_AUTO_EXPAND"],
    )
    client.get_waiter("change_set_create_complete").wait(ChangeSetName=change["Id"], WaiterConfig={"Delay": 1})
    client.execute_change_set(ChangeSetName=change["Id"])
    client.get_waiter("stack_update_complete").wait(StackName=known["Id"], WaiterConfig={"Delay": 1})
    [stack] = client.describe_stacks(StackName=known["Id"])["Stacks"]
    outputs = {each["OutputKey"]: each["OutputValue"] for each in stack.get("Outputs", [])}
    return ProgressEvent(status=OperationStatus.SUCCESS, resource_model={**known, **wanted, "Outputs": outputs})


def update_alias(self, request):
    wanted = request.desired_state
    request.aws_client_factory.lambda_.update_alias(
        FunctionName=wanted["FunctionName"], Name=wanted["Name"], FunctionVersion=wanted["FunctionVersion"]
    )
    return ProgressEvent(status=OperationStatus.SUCCESS, resource_model={**request.previous_state, **wanted})


DockerRuntimeExecutor.prepare_version = classmethod(nothing)
DockerRuntimeExecutor.cleanup_version = classmethod(nothing)
DockerRuntimeExecutor.validate_environment = classmethod(lambda cls: True)
CloudFormationStackProvider.update = update_stack
LambdaAliasProvider.update = update_alias
main()
