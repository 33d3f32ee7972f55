"""Writes what the students of a class have, each in a folder of its own below this one."""
import os, subprocess, zipfile
def write(path, data):
    os.makedirs(os.path.dirname(path) or '.', exist_ok=True)
    open(path, 'wb').write(data if isinstance(data, bytes) else data.encode())
def packed(path, files, name=lambda path: path):
    os.makedirs(os.path.dirname(path) or '.', exist_ok=True)
    with zipfile.ZipFile(path, 'w') as archive:
        for file, text in files.items():
            info = zipfile.ZipInfo(file)
            info.filename = name(file)
            archive.writestr(info, text)
PYTHON = "import sys\nfor line in sys.stdin:\n    print('30 3', flush=True)\n"
JAVA = """%simport java.util.Scanner;
public class %s {
    public static void main(String[] words) {
        Scanner in = new Scanner(System.in);
        while (in.hasNextLine()) { in.nextLine(); System.out.println("30 3"); System.out.flush(); }
    }
}
"""
CPP = "#include <iostream>\n#include <string>\nint main() { std::string q; while (std::getline(std::cin, q)) std::cout << \"30 3\" << std::endl; }\n"
C = "#include <stdio.h>\nint main(void) { char q[4096]; while (fgets(q, sizeof q, stdin)) { puts(\"30 3\"); fflush(stdout); } }\n"
write('plain/bot.py', PYTHON)
write('crlf/bot.py', PYTHON.replace('\n', '\r\n'))
write('mark/bot.py', b'\xef\xbb\xbf' + PYTHON.encode())
write('utf16/bot.py', PYTHON.encode('utf-16'))
write('shebang/bot', ('#!/usr/bin/env python3\n' + PYTHON).replace('\n', '\r\n'))
write('java/MyBot.java', JAVA % ('', 'MyBot'))
write('other/Fox.java', JAVA % ('', 'Fox'))
write('package/Player.java', JAVA % ('package team.one;\n', 'Player'))
packed('eclipse/PushBot.zip', {
    'PushBot/.project': '<projectDescription/>', 'PushBot/.classpath': '<classpath/>',
    'PushBot/.settings/org.eclipse.jdt.core.prefs': 'x=1',
    'PushBot/src/team/two/Start.java': JAVA % ('package team.two;\n', 'Start'),
    'PushBot/src/team/two/Board.java': 'package team.two;\nclass Board {}\n',
    'PushBot/bin/team/two/Start.class': 'old'})
write('cpp/bot.cpp', CPP)
write('broken/bot.cpp', CPP.replace('std::cin, q', 'std::cin, r'))
write('c/bot.c', C)
write('cpp/built.cpp', CPP)
subprocess.run(['g++', '-O2', '-o', 'cpp/dynamic', 'cpp/built.cpp'], check=True)
subprocess.run(['g++', '-O2', '-static', '-o', 'cpp/static', 'cpp/built.cpp'], check=True)
write('folder/bot.py', "MOVE = open('weights.txt').read().strip()\n" + PYTHON.replace("'30 3'", 'MOVE'))
write('folder/weights.txt', '30 3\n')
write('venv/bot.py', PYTHON)
write('venv/venv/pyvenv.cfg', 'home = /usr/bin\n')
for number in range(1200): write(f'venv/venv/lib/{number}.py', '')
os.symlink('/usr/bin/python3', 'venv/venv/python')
packed('windows/bot.zip', {'bot/bot.py': PYTHON, 'bot/data/x.txt': 'x'}, lambda path: path.replace('/', '\\'))
packed('locked.zip', {'bot.py': PYTHON})
# As one that is encrypted: the first bit of the flags, in the header of the file and in the list.
locked = bytearray(open('locked.zip', 'rb').read())
locked[6] |= 1
locked[locked.index(b'PK\x01\x02') + 8] |= 1
write('locked.zip', bytes(locked))
write('exe/bot.exe', b'MZ\x90\x00' + bytes(58) + b'\x40\x00\x00\x00PE\x00\x00d\x86' + bytes(200))
write('mac/bot', b'\xcf\xfa\xed\xfe' + bytes(200))
write('bat/bot.bat', '@echo off\r\necho 30 3\r\n')
write('notebook/bot.ipynb', '{"cells": [], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}')
write('page/bot.py', '<!DOCTYPE html>\n<html><head><title>bot.py at main</title></head></html>\n')
write('lfs/bot.py', 'version https://git-lfs.github.com/spec/v1\noid sha256:' + '0' * 64 + '\nsize 12345\n')
write('numpy/bot.py', "import no_such_numpy\n" + PYTHON)
write('typed/bot.py', PYTHON.replace("'30 3'", "'np.int64(30) np.int64(3)'"))
write('one/bot.py', PYTHON.replace("'30 3'", "'30'"))
write('silent/bot.py', "import sys\nfor line in sys.stdin:\n    pass\n")
write('ends/bot.py', "input()\nprint('30 3')\n")
