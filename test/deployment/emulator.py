"""LocalEmu without the containers that it runs functions in: what a deployment creates is there, but no function runs."""

import warnings

import typing_extensions

# LocalEmu was written for Python 3.13; this is all of it that 3.12 lacks.
warnings.deprecated = getattr(warnings, "deprecated", typing_extensions.deprecated)

from localemu.runtime.main import main
from localemu.services.lambda_.invocation.docker_runtime_executor import DockerRuntimeExecutor


def nothing(cls, function_version):
    pass


DockerRuntimeExecutor.prepare_version = classmethod(nothing)
DockerRuntimeExecutor.cleanup_version = classmethod(nothing)
DockerRuntimeExecutor.validate_environment = classmethod(lambda cls: True)
main()
