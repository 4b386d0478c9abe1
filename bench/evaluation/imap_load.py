# SPDX-License-Identifier: Apache-2.0
"""Mailboxes, and clients that work on them, each through a pipe to a Dovecot imap process of its own.

imap_load.py fill MAILDIR BOXES MESSAGES: makes the mailboxes, as if delivered; owned by who may read MAILDIR.
imap_load.py work CONFIG BOXES CLIENTS OPERATIONS WRITE,...: each client does so many operations, half of them reads,
the others writes of these kinds: mark, move, delete, append. A mailbox has one client, who knows what is in it.
"""

import concurrent.futures
import imaplib
import os
import random
import shlex
import sys

SERVER = "/usr/lib/dovecot/imap"
TEXT = b"From: <a@example.org>\r\nSubject: song\r\n\r\nI love to go a-wandering, along the mountain track\r\n"
DELIVERED = 1_500_000_000  # seconds
READS = 0.5


def box_name(number):
    return f"box{number}"


def fill(maildir, boxes, messages):
    """Maildir++: the mailbox x is the directory .x; a message without flags lies in cur. Messages keep their names when
    they are moved, so no two have the same."""
    owner = os.stat(maildir)
    for box in range(boxes):
        folder = os.path.join(maildir, f".{box_name(box)}")
        for path in (folder, *(os.path.join(folder, part) for part in ("cur", "new", "tmp"))):
            os.mkdir(path)
            os.chown(path, owner.st_uid, owner.st_gid)
        for number in range(messages):
            path = os.path.join(folder, "cur", f"{DELIVERED + number}.M{number}P{box}.example:2,")
            with open(path, "wb") as file:
                file.write(TEXT)
            os.chown(path, owner.st_uid, owner.st_gid)


def must(answer):
    kind, data = answer
    if kind != "OK":
        raise RuntimeError(f"the server said {kind} {data}")
    return data


class Mailbox:
    """One mailbox, open in a server of its own, and the unique numbers of the messages that are in it."""

    def __init__(self, config, number, boxes):
        self._name = box_name(number)
        self._neighbour = box_name((number + 1) % boxes)
        self._imap = imaplib.IMAP4_stream(shlex.join([SERVER, "-c", config]))
        must(self._imap.select(self._name))
        self._marked = set()
        self._find()

    def _find(self):
        self._messages = must(self._imap.uid("SEARCH", "ALL"))[0].split()

    def do(self, kind, source):
        """An operation on any message; where there is none left, one comes."""
        if not self._messages:
            self._find()
        if not self._messages:
            kind = "append"
        getattr(self, kind)(source)

    def read(self, source):
        must(self._imap.uid("FETCH", source.choice(self._messages), "(RFC822 FLAGS)"))

    def mark(self, source):
        message = source.choice(self._messages)
        sign = "-" if message in self._marked else "+"
        must(self._imap.uid("STORE", message, f"{sign}FLAGS", "(\\Flagged)"))
        self._marked ^= {message}

    def move(self, source):
        must(self._imap.uid("MOVE", self._take(source), self._neighbour))

    def delete(self, source):
        message = self._take(source)
        must(self._imap.uid("STORE", message, "+FLAGS", "(\\Deleted)"))
        must(self._imap.uid("EXPUNGE", message))

    def append(self, _):
        must(self._imap.append(self._name, None, None, TEXT))

    def _take(self, source):
        """Any message, which will be gone."""
        place = source.randrange(len(self._messages))
        self._messages[place], self._messages[-1] = self._messages[-1], self._messages[place]
        return self._messages.pop()

    def close(self):
        self._imap.logout()


def client(config, boxes, numbers, operations, writes):
    """One process; what went wrong, or None."""
    try:
        drive(config, boxes, numbers, operations, writes)
    except (imaplib.IMAP4.error, RuntimeError, OSError) as error:
        return f"imap_load: client {numbers[0]}: {error}"
    return None


def drive(config, boxes, numbers, operations, writes):
    source = random.Random(numbers[0])
    mailboxes = [Mailbox(config, number, boxes) for number in numbers]
    for _ in range(operations):
        kind = "read" if source.random() < READS else source.choice(writes)
        source.choice(mailboxes).do(kind, source)
    for mailbox in mailboxes:
        mailbox.close()


def work(config, boxes, clients, operations, writes):
    """Clients as processes; what went wrong, after all that the servers had to say."""
    shares = [range(number, boxes, clients) for number in range(min(clients, boxes))]
    with concurrent.futures.ProcessPoolExecutor(len(shares)) as pool:  # which tells if a process is killed
        begun = [pool.submit(client, config, boxes, share, operations, writes) for share in shares]
    return "\n".join(filter(None, (future.result() for future in begun)))


def main(command, *arguments):
    if command == "fill":
        fill(arguments[0], *map(int, arguments[1:]))
        return 0
    config, *counts, writes = arguments
    return work(config, *map(int, counts), writes.split(",")) or 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
