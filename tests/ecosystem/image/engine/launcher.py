"""Prepare the namespaces that unshare has made for a container, then become its first process.

usage: launcher.py ROOT HOSTNAME COMMAND...
"""

from __future__ import annotations

import fcntl
import os
import socket
import struct
import subprocess
import sys
from typing import Final

SIOCSIFFLAGS: Final = 0x8914
IFF_UP: Final = 1


def main(root: str, hostname: str, *command: str) -> None:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as any_socket:
        fcntl.ioctl(any_socket, SIOCSIFFLAGS, struct.pack("16sh14x", b"lo", IFF_UP))
    socket.sethostname(hostname)
    subprocess.run(["mount", "-t", "proc", "proc", f"{root}/proc"], check=True)
    subprocess.run(["mount", "--rbind", "/dev", f"{root}/dev"], check=True)
    os.execvp(command[0], command)


if __name__ == "__main__":
    main(*sys.argv[1:])
