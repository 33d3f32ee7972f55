"""The programs of docs/guides/python.md run, in their order, in one folder."""

import re
import subprocess
import sys

from conftest import ROOT


def test_the_programs_of_the_guide_run(program, tmp_path):
    page = (ROOT / "docs" / "guides" / "python.md").read_text()
    blocks = re.findall(r"^```(python|sh) ?([\w. -]*)\n(.*?)^```", page, re.MULTILINE | re.DOTALL)
    ran = []
    for kind, name, text in blocks:
        if kind == "sh" and name != "by-hand":
            words = text.replace("referee", program, 1).split()
            subprocess.run(words, cwd=tmp_path, check=True, capture_output=True)
        elif kind == "python":
            (tmp_path / name).write_text(text)
            done = subprocess.run([sys.executable, name], cwd=tmp_path, capture_output=True, text=True)
            assert done.returncode == 0, f"{name}: {done.stderr}"
            ran.append(name)
    assert ran == ["play.py", "many.py", "read.py", "bring.py", "plain.py"]
    subprocess.run([program, "check", "./plain", "--game", "push"], cwd=tmp_path, check=True, capture_output=True)
