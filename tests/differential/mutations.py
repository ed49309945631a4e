"""Ways to break the relay on purpose. Each is one replacement in a copy of the package, and the differential has to notice it:
a comparison that finds no difference in a broken relay says nothing about a whole one.

Run by test_mutations.py, and as `python -m tests.differential.mutations`.
"""

from __future__ import annotations

import shutil
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from tests.differential.conductor import Difference, compare
from tests.differential.conversations import conversations
from tests.differential.exceptions import Variant
from tests.support.world import ROOT

PACKAGE = ROOT / "src" / "synartesis"
DEADLINE_S = 2.0
"""A broken relay may never pass a line on."""


@dataclass(frozen=True)
class Mutation:
    """`old`, which stands exactly once in the file, becomes `new`. `noticed_in`: a conversation that shows it."""

    name: str
    file: str
    old: str
    new: str
    noticed_in: str
    variant: Variant = "readonly"


MUTATIONS = (
    Mutation(
        "line ends are tidied",
        "relay/handlers.py",
        "self._link.post(request.frame, waiter.key, waiter, opens=opens)",
        'self._link.post(request.frame.replace(b"\\r\\n", b"\\n"), waiter.key, waiter, opens=opens)',
        noticed_in="spellings 2025-06-18",
    ),
    Mutation(
        "notifications are written anew",
        "relay/handlers.py",
        "                self._catalog.note(link.name, method)\n                self._client.write(message.frame)",
        "                self._catalog.note(link.name, method)\n"
        "                self._client.write(encode_json(decode_json(message.frame)))",
        noticed_in="all there is, the most 2025-06-18",
    ),
    Mutation(
        "notifications that we do not know are dropped",
        "relay/handlers.py",
        "            case Notification(method=method):\n",
        '            case Notification(method=method) if "tasks" not in method:\n',
        noticed_in="tasks 2025-11-25",
    ),
    Mutation(
        "a number and a string are one id",
        "wire/messages.py",
        '        if b"\\\\" not in token:\n            return token\n',
        '        if b"\\\\" not in token:\n            return token.strip(b\'"\')\n',
        noticed_in="ids 2025-11-25",
    ),
    Mutation(
        "batches are passed on unread",
        "relay/handlers.py",
        'client.refuse(b"null", INVALID_REQUEST, "batches are not taken; send each message on a line of its own")',
        'front.notification(Notification("", b"", message.frame))',
        noticed_in="batches 2025-03-26",
    ),
    Mutation(
        "what a server prints reaches the client",
        "relay/handlers.py",
        "            case Noise():\n                log_noise(link, message, self._log)",
        "            case Noise():\n                self._client.write(message.frame)",
        noticed_in="noise 2025-06-18",
    ),
    Mutation(
        "our instructions replace the server's",
        "relay/handlers.py",
        'both = f"{theirs}\\n\\n{INSTRUCTIONS}" if isinstance(theirs, str) and theirs else INSTRUCTIONS',
        "both = INSTRUCTIONS",
        noticed_in="ids 2025-11-25",
    ),
    Mutation(
        "a cancellation of what runs is kept back",
        "relay/client.py",
        "        self.forward(cancellation_of(self.sent_as, notification))\n",
        "",
        noticed_in="cancelling 2025-06-18",
    ),
    Mutation(
        "answers come a moment later than they could",
        "relay/client.py",
        "        if self.client.live.get(self.key) is self:\n            self.client.finish(self.key, frame)",
        "        if self.client.live.get(self.key) is self:\n"
        "            asyncio.get_running_loop().call_later(0.01, self.client.finish, self.key, frame)",
        noticed_in="framing 2025-11-25",
    ),
    Mutation(
        "lines above a megabyte are dropped",
        "wire/lines.py",
        "MAX_LINE_BYTES: Final = 256 * 1024 * 1024",
        "MAX_LINE_BYTES: Final = 1024 * 1024 - 1",
        noticed_in="framing 2025-11-25",
    ),
    Mutation(
        "a byte-order mark is cut off",
        "wire/messages.py",
        "        return Request(token, id_key(token), method, params, frame) if token else Notification(method, params, frame)",
        "        frame = frame.removeprefix(_BYTE_ORDER_MARK)\n"
        "        return Request(token, id_key(token), method, params, frame) if token else Notification(method, params, frame)",
        noticed_in="spellings 2025-06-18",
    ),
    Mutation(
        "the answer to a guarded call is put together anew",
        "relay/calls.py",
        "        return reply.frame if guarded.sent_as is None else with_id(reply.frame, guarded.token)",
        "        return _frame_from_answer(reply, guarded.token)",
        noticed_in="spellings 2025-06-18",
        variant="reversible",
    ),
    Mutation(
        "a guarded call goes out under an id of ours",
        "relay/servers.py",
        "        if call.frame:\n            return await link.forward(call.frame)\n",
        "",
        noticed_in="all there is, the most 2025-06-18",
        variant="reversible",
    ),
    Mutation(
        "our own reads do not say who the client is",
        "relay/eras.py",
        '            parts = {**parts, "_meta": join_members(self.meta)}\n',
        "            pass\n",
        noticed_in="calls of the modern era 2026-07-28",
        variant="reversible",
    ),
    Mutation(
        "our own reads say what the client was at first",
        "relay/calls.py",
        "        self._client.opening.note_request(request.method, request.params)",
        "        pass",
        noticed_in="calls of the modern era 2026-07-28",
        variant="reversible",
    ),
    Mutation(
        "a call that was cancelled at its snapshot is sent all the same",
        "relay/calls.py",
        "            if self.task is not None:\n                self.task.cancel()\n            return\n",
        "            return\n",
        noticed_in="cancelling 2025-06-18",
        variant="reversible",
    ),
)


def differences(mutation: Mutation) -> list[Difference]:
    """What the differential says of the relay that is broken so, in the conversation that shows it."""
    (told,) = (one for one in conversations(short=True) if f"{one.name} {one.revision}" == mutation.noticed_in)
    with broken(mutation) as package:
        return compare(told, mutation.variant, package=package, deadline_s=DEADLINE_S).differences


@contextmanager
def broken(mutation: Mutation) -> Iterator[Path]:
    """A folder to import the broken package from."""
    with tempfile.TemporaryDirectory(prefix="broken-") as folder:
        copy = Path(folder) / PACKAGE.name
        shutil.copytree(PACKAGE, copy, ignore=shutil.ignore_patterns("__pycache__"))
        file = copy / mutation.file
        source = file.read_text(encoding="utf-8")
        found = source.count(mutation.old)
        assert found == 1, f"{mutation.name}: what is replaced stands {found} times in {mutation.file}"
        file.write_text(source.replace(mutation.old, mutation.new), encoding="utf-8")
        yield Path(folder)


def main() -> int:
    unnoticed = 0
    for mutation in MUTATIONS:
        found = differences(mutation)
        unnoticed += not found
        print(f"broken: {mutation.name}: {'noticed' if found else 'NOT NOTICED'}")
    print(f"{len(MUTATIONS)} broken relays, {unnoticed} not noticed")
    return 1 if unnoticed else 0


if __name__ == "__main__":
    sys.exit(main())
