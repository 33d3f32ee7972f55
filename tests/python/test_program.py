"""The program in the wheel of a release."""

import subprocess
import sys
from importlib.metadata import version
from pathlib import Path


def test_the_wheel_puts_the_program_of_its_version_beside_python() -> None:
    program = Path(sys.executable).parent / "referee"
    told = subprocess.run([program, "--version"], check=True, capture_output=True, text=True)
    assert told.stdout.strip() == f"referee {version('referee')}"
