"""A server on strings: a program of its own, started by a client or by the proxy, that hands every byte of its standard
input to the conductor as it came, and writes what the conductor tells it to write, where it tells it to.

It listens at a Unix socket, given as the one argument. What it is sent there is `out N` or `err N` on a line, then N bytes.
"""

from __future__ import annotations

import os
import socket
import sys
import threading
from typing import BinaryIO

CHUNK = 1 << 20


def main() -> None:
    conductor = socket.socket(socket.AF_UNIX)
    conductor.connect(sys.argv[1])
    obeying = threading.Thread(target=obey, args=[conductor.makefile("rb")])
    obeying.start()
    while chunk := os.read(0, CHUNK):
        conductor.sendall(chunk)
    conductor.shutdown(socket.SHUT_WR)  # so the conductor hears of the end of input too
    obeying.join()


def obey(orders: BinaryIO) -> None:
    """Until the conductor has no more to say: then this server ends, and its input with it."""
    while order := orders.readline():
        where, size = order.split()
        write_all({b"out": 1, b"err": 2}[where], orders.read(int(size)))
    os._exit(0)


def write_all(fd: int, data: bytes) -> None:
    rest = memoryview(data)
    while rest:
        rest = rest[os.write(fd, rest) :]


if __name__ == "__main__":
    main()
