# SPDX-License-Identifier: Apache-2.0
"""dovecot.py BASE STATE deliver THREADS MESSAGES: so many threads deliver so many messages each, while a client works.
dovecot.py BASE STATE check: whether everything that STATE names is there.

STATE holds, for each message whose delivery was acknowledged, where it has to be and its flags, as JSON.
"""

import concurrent.futures
import hashlib
import imaplib
import json
import os
import random
import smtplib
import socket
import sys
import threading

USERS = ["anna", "berta"]
FOLDERS = ["INBOX", "work", "old"]


class UnixImap(imaplib.IMAP4):
    """IMAP by a socket of the file system."""

    def __init__(self, path):
        self._path = path
        super().__init__()

    def _create_socket(self, timeout):
        connection = socket.socket(socket.AF_UNIX)
        connection.connect(self._path)
        return connection


def text_of(name):
    """The message, whose content follows from its name."""
    source = random.Random(name)
    lines = [hashlib.sha256(f"{name} {i}".encode()).hexdigest() for i in range(source.randrange(2, 600))]
    body = "\r\n".join(lines)
    return f"From: <test@example.org>\r\nSubject: {name}\r\nMessage-ID: <{name}@example.org>\r\n\r\n{body}\r\n"


def login(base, user):
    imap = UnixImap(os.path.join(base, "imap"))
    imap.login(user, "secret")
    return imap


def must(answer):
    assert answer[0] == "OK", answer
    return answer[1]


def deliver(base, thread, count, first, acknowledged):
    with smtplib.LMTP(os.path.join(base, "lmtp")) as lmtp:
        for number in range(count):
            user = USERS[number % len(USERS)]
            name = f"{first}-{thread}-{number}"
            assert lmtp.sendmail("test@example.org", [user], text_of(name)) == {}
            acknowledged[name] = {"user": user, "folder": "INBOX", "flags": []}


def subject_of(parts):
    return parts[0][1].decode().split("Subject: ")[1].strip()


def uids(imap, folder):
    must(imap.select(folder))
    return must(imap.uid("SEARCH", "ALL"))[0].split()


def work(base, user, messages, ending):
    """Moves a third of what arrives to one folder, flags a third, expunges some, until the deliveries are over."""
    imap = login(base, user)
    for folder in FOLDERS[1:]:
        imap.create(folder)
    seen = set()
    while True:
        last = ending.is_set()
        for uid in uids(imap, "INBOX"):
            if uid in seen:
                continue
            seen.add(uid)
            name = subject_of(must(imap.uid("FETCH", uid, "(BODY.PEEK[HEADER.FIELDS (SUBJECT)])")))
            choice = random.Random(name).randrange(4)
            if choice == 0:
                must(imap.uid("MOVE", uid, "work"))
                messages[name] = {"user": user, "folder": "work", "flags": []}
            elif choice == 1:
                must(imap.uid("STORE", uid, "+FLAGS", "(\\Flagged \\Seen)"))
                messages[name] = {"user": user, "folder": "INBOX", "flags": ["\\Flagged", "\\Seen"]}
            elif choice == 2:
                must(imap.uid("COPY", uid, "old"))
                must(imap.uid("STORE", uid, "+FLAGS", "(\\Deleted)"))
                must(imap.uid("EXPUNGE", uid))
                messages[name] = {"user": user, "folder": "old", "flags": []}
        if last:
            break
    imap.logout()


def check(base, state):
    count = 0
    for user in USERS:
        imap = login(base, user)
        found = {}
        for folder in FOLDERS:
            for uid in uids(imap, folder):
                parts = must(imap.uid("FETCH", uid, "(FLAGS BODY.PEEK[])"))
                message = parts[0][1].decode()
                name = message.split("Subject: ")[1].split("\r\n")[0]
                assert message.endswith(text_of(name)), f"{user}/{folder}/{uid.decode()}: {name}: content"
                flags = imaplib.ParseFlags(parts[0][0] + (parts[1] if isinstance(parts[1], bytes) else b""))
                assert name not in found, f"{name} is there twice"
                found[name] = {"user": user, "folder": folder, "flags": sorted(f.decode() for f in flags)}
        wanted = {name: where for name, where in state.items() if where["user"] == user}
        for name in wanted.keys() | found.keys():
            got = found.get(name)
            if got:
                got["flags"] = [flag for flag in got["flags"] if flag != "\\Recent"]
            assert got == wanted.get(name), f"{name}: {got}, not {wanted.get(name)}"
        count += len(found)
        imap.logout()
    print(f"{count} messages in their places: ok")


def main():
    base, path, command, *rest = sys.argv[1:]
    state = json.load(open(path, encoding="utf-8")) if os.path.exists(path) else {}
    if command == "check":
        check(base, state)
        return
    threads, count = (int(number) for number in rest)
    ending = threading.Event()
    delivered, worked = {}, [{} for _ in USERS]
    with concurrent.futures.ThreadPoolExecutor() as pool:
        clients = [pool.submit(work, base, user, moved, ending) for user, moved in zip(USERS, worked)]
        senders = [pool.submit(deliver, base, i, count, len(state), delivered) for i in range(threads)]
        for sender in senders:
            sender.result()
        ending.set()
        for client in clients:
            client.result()
    for part in [delivered, *worked]:
        state.update(part)
    with open(path, "w", encoding="utf-8") as file:
        json.dump(state, file)


main()
