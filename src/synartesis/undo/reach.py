"""What an inverse does to each place of a state, as far as it is known: what reaches it from the state, what it hands back, and
what it was seen to leave alone. Pure."""

from __future__ import annotations

import msgspec

from synartesis.domain.calls import InversePlan
from synartesis.domain.canonical import Json, same_json
from synartesis.domain.names import Tool
from synartesis.domain.paths import Path, PathNotFound, covers, get_path, render_path
from synartesis.policy.manifest import CallTemplate
from synartesis.policy.references import Reference, Text
from synartesis.policy.template import Fallback, Made, Template


class Reach(msgspec.Struct, frozen=True):
    """An inverse, the template that it was made by, and the agent's call that it undoes."""

    inverse: InversePlan
    template: CallTemplate
    tool: Tool
    arguments: Json

    def restores(self, path: Path) -> bool:
        """Whether it is given this place from `$snapshot`. Inside of a longer text it is only spoken of."""
        return any(covers(given, path) for given in self.template.gives)

    def hands_back(self, path: Path) -> bool:
        """Whether it asks for it with `$current`: whatever is there when it is sent."""
        return any(covers(taken, path) for _, taken in self.inverse.current)

    def defaults_at(self, path: Path) -> bool:
        """Whether it puts there what the rule says, because nothing was there."""
        return any(covers(place, path) for _, place in self.inverse.defaults)

    def why_in_doubt(self, path: Path, before: Json, after: Json, moved: set[Path]) -> str:
        """Why it is not known that the inverse leaves a place as it finds it; empty where it is. The one thing that shows it is
        the agent's own call: the same tool with the same arguments, which left this very place alone. `moved`: what that call
        changed."""
        if _names(self.inverse.call.arguments, path):
            return "it has an argument of that name"
        if any(given[:1] == path[:1] for given in self.template.gives):
            return f"it is given parts of {render_path(path[:1])}, and may write it anew"
        if self.inverse.call.tool != self.tool:
            return f"the agent called {self.tool}, another tool"
        if why := self._why_another_call():
            return why
        place = outside_of_lists(path)
        if not (_is_at(place, before) and _is_at(place, after)):
            return "it was not there when the agent called"
        if any(one[:1] == path[:1] for one in moved):
            return f"the agent's call changed {render_path(path[:1])} as well"
        return ""

    def _why_another_call(self) -> str:
        """Why the agent's call to the same tool says nothing of this one."""
        filled_in = {place for place, _ in self.inverse.current}
        ours, agents = _names_of(self.inverse.call.arguments, filled_in), _names_of(self.arguments, filled_in)
        if more := [path for path in ours if path not in agents]:
            return f"the agent's call did not name {_listed(more)}, as this one does"
        if fewer := [path for path in agents if path not in ours]:
            return f"the agent's call named {_listed(fewer)}, which this one does not"
        if other := _other_values(self.template.args, self.inverse.call.arguments, self.arguments, ()):
            return f"the agent's call had another {_listed(other)}"
        return ""

    def was_set_to(self, path: Path, value: Json) -> bool:
        """Whether the agent's call itself asked for this value at this place: under its name, or that of a place above it."""
        return _asks_for(self.arguments, path, value)


def _names(arguments: Json, path: Path) -> bool:
    """Whether any argument, however deep, bears the name of this place or of one above it."""
    names = {segment for segment in path if isinstance(segment, str)}
    waiting = [arguments]
    while waiting:
        value = waiting.pop()
        if isinstance(value, dict):
            if names & value.keys():
                return True
            waiting.extend(value.values())
        elif isinstance(value, list):
            waiting.extend(value)
    return False


def _names_of(arguments: Json, whole: set[Path], at: Path = ()) -> list[Path]:
    """The names of all arguments, those inside of objects as well. A list is one value, and so is what is at `whole`."""
    if not isinstance(arguments, dict) or at in whole:
        return []
    return [found for key, value in arguments.items() for found in ((*at, key), *_names_of(value, whole, (*at, key)))]


def _other_values(template: Template, arguments: Json, agents: Json, at: Path) -> list[Path]:
    """Where the two calls differ in something that is not taken from the state: a mode, a flag."""
    if isinstance(template, dict) and isinstance(arguments, dict) and isinstance(agents, dict):
        return [
            found
            for key in arguments
            for found in _other_values(template[key], arguments[key], agents[key], (*at, key))
        ]
    return [] if _is_from_the_state(template) or same_json(arguments, agents) else [at]


def _is_from_the_state(template: Template) -> bool:
    match template:
        case Reference(source=source):
            return source in ("snapshot", "current")
        case Text(pieces=pieces):
            return any(map(_is_from_the_state, pieces))
        case Fallback(value=value):
            return _is_from_the_state(value)
        case Made(each=each):
            return _is_from_the_state(each)
        case list():
            return any(map(_is_from_the_state, template))
        case _:
            return False


def _asks_for(arguments: Json, path: Path, value: Json) -> bool:
    if isinstance(arguments, list):
        return any(_asks_for(one, path, value) for one in arguments)
    if not isinstance(arguments, dict):
        return False
    for number, segment in enumerate(path):
        if isinstance(segment, str) and segment in arguments:
            asked, below = arguments[segment], path[number + 1 :]
            if _is_at(below, asked) and same_json(get_path(asked, below), value):
                return True
    return any(_asks_for(one, path, value) for one in arguments.values())


def outside_of_lists(path: Path) -> Path:
    """The place, or the list that it is in."""
    return path[: next((at for at, segment in enumerate(path) if not isinstance(segment, str)), len(path))]


def _is_at(path: Path, value: Json) -> bool:
    try:
        get_path(value, path)
    except PathNotFound:
        return False
    return True


def _listed(paths: list[Path]) -> str:
    shown = [render_path(path) for path in paths[:3]]
    return ", ".join(shown) + (f" and {len(paths) - 3} more" if len(paths) > 3 else "")
