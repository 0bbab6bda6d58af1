"""A client of the course's protocol that misbehaves in one way: `bad_client.py HOW HOST PORT MARK`.

It keeps to no group but its own first one, which steps up and down. From its second turn on it does
HOW; the ways of `EARLY` come before its first turn.
"""

import os
import socket
import sys
import time

how, host, port = sys.argv[1:4]


def connect():
    return socket.create_connection((host, int(port)))


def read(size):
    data = b""
    while len(data) < size:
        part = server.recv(size - len(data))
        if not part:
            sys.exit(0)
        data += part
    return data


def turn():
    """Return the turn that moves the whole group up, or down again."""
    x, y, n = here
    return b"MOV\x01" + bytes([x, y, n, x, y + 1 if y != home[1] else y - 1])


if how == "start":
    sys.exit("cannot find my weights")
if how == "never":
    time.sleep(60)
server = connect()
if how == "silent":
    time.sleep(60)
if how == "leaves_early":
    os._exit(0)
if how == "length_0":
    server.sendall(b"NME\x00")
elif how == "length_long":
    server.sendall(b"NME\x09bad")
elif how == "order_early":
    server.sendall(b"ATK\x03bad")
elif how == "bytes":
    for byte in b"NME\x03bad":
        server.sendall(bytes([byte]))
        time.sleep(0.01)
elif how == "flood_early":
    while True:
        server.sendall(b"x" * 100_000)
else:
    server.sendall(b"NME\x03bad")

server.settimeout(30)
home, here, turns, cells = (0, 0), (0, 0, 0), 0, {}
while True:
    order = read(3)
    if order == b"SET":
        read(2)
    elif order == b"HUM":
        read(2 * read(1)[0])
    elif order == b"HME":
        home = tuple(read(2))
    elif order in (b"MAP", b"UPD"):
        for _ in range(read(1)[0]):
            x, y, *counts = read(5)
            cells[x, y] = counts
        if order == b"MAP":
            race = 1 if cells[home][1] else 2
            continue
        mine = [(*cell, counts[race]) for cell, counts in cells.items() if counts[race]]
        here = mine[0] if mine else here
        turns += 1
        x, y, n = here
        late = how in ("late", "half")
        if turns == 1 or how == "good" or (late and turns > 2):
            print("turn", turns, file=sys.stderr, flush=True)
            server.sendall(turn())
            continue
        if how == "bytes":
            for byte in turn():
                server.sendall(bytes([byte]))
        elif how == "chatter":
            os.write(1, b"y" * 300_000)
            os.write(2, b"x" * 300_000)
            server.sendall(turn())
        elif how == "two":
            server.sendall(turn() + turn())
        elif how == "late":
            time.sleep(0.45)
            server.sendall(turn())
        elif how == "half":
            server.sendall(turn()[:6])
            time.sleep(0.45)
            server.sendall(turn()[6:])
        elif how == "nothing":
            pass
        elif how == "order":
            server.sendall(b"ATK" + turn()[3:])
        elif how == "rubbish":
            server.sendall(bytes(range(200)))
        elif how == "empty":
            server.sendall(b"MOV\x00")
        elif how == "too_many":
            server.sendall(b"MOV\x01" + bytes([x, y, n + 1, x, y - 1]))
        elif how == "not_mine":
            server.sendall(b"MOV\x01" + bytes([2, 2, 1, 2, 1]))
        elif how == "off_board":
            server.sendall(b"MOV\x01" + bytes([x, y, n, x, 255]))
        elif how == "stays":
            server.sendall(b"MOV\x01" + bytes([x, y, n, x, y]))
        elif how == "flood":
            server.sendall(turn())
            while True:
                server.sendall(b"x" * 100_000)
        elif how == "leaves":
            os._exit(7)
        elif how == "after":
            server.sendall(turn())
            os._exit(0)
        elif how == "raises":
            raise ZeroDivisionError("the bot is wrong")
        elif how == "forks":
            if os.fork() == 0:
                time.sleep(60)
            os._exit(6)
    elif order == b"END":
        pass
    else:
        sys.exit(0)
