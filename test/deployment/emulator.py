"""LocalEmu without the containers that it runs functions in: what a deployment creates is there, but no function runs."""

from localemu.runtime.main import main
from localemu.services.lambda_.invocation.docker_runtime_executor import DockerRuntimeExecutor


def nothing(cls, function_version):
    pass


DockerRuntimeExecutor.prepare_version = classmethod(nothing)
DockerRuntimeExecutor.cleanup_version = classmethod(nothing)
DockerRuntimeExecutor.validate_environment = classmethod(lambda cls: True)
main()
