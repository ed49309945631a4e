"""How an answer becomes a value where it is not plain, as a rule declares it: JSON in a text, Python's repr, one value per block,
named groups of a pattern. What does not have the declared form is no value at all: nothing is guessed."""

from __future__ import annotations

import json
import re

from synartesis.domain.calls import AnswerValue, Decode, Undecodable, answer_value
from synartesis.domain.canonical import Json, NotJson, decode_json
from synartesis.domain.paths import PathNotFound, parse_path, render_path

MAX_PATTERN_TEXT = 1_000_000
"""Characters. A pattern may take far longer than linear time, and everything waits for it."""
MAX_STARTS = 100
"""So many places in a text are tried as the start of its JSON."""
_OPENS = re.compile(r"[\[{]\s*")


def decoded_value(result: Json, decode: Decode | None) -> AnswerValue:
    """What a tool result holds. Raises Undecodable."""
    if decode is None:
        return answer_value(result)
    match decode.how:
        case "text":
            return AnswerValue(_text_of(result))
        case "json":
            return AnswerValue(_json(_text_of(result), "its text"))
        case "json_in":
            return AnswerValue(_json_in(result, decode.detail))
        case "json_after_prose":
            return AnswerValue(_json_after_prose(_text_of(result)))
        case "python_literal":
            from synartesis.domain.python_literal import python_literal  # only where a rule asks for it

            return AnswerValue(python_literal(_text_of(result)))
        case "blocks":
            return AnswerValue([_block(block) for block in _blocks_of(result)])
        case "pattern":
            return AnswerValue(_groups(_text_of(result), decode.detail))


def text_of(result: Json) -> str:
    """The text of an answer, all of it. Raises Undecodable."""
    return _text_of(result)


def _text_of(result: Json) -> str:
    blocks = _blocks_of(result)
    texts = [block.get("text") if block.get("type") == "text" else None for block in blocks]
    if not texts or not all(isinstance(text, str) for text in texts):
        raise Undecodable("the answer is not all text" if texts else "the answer holds no text")
    return "\n".join(map(str, texts))


def _blocks_of(result: Json) -> list[dict[str, Json]]:
    content = result.get("content") if isinstance(result, dict) else None
    if not isinstance(content, list) or not all(isinstance(block, dict) for block in content):
        raise Undecodable("the answer holds no content blocks")
    return content


def _json(text: str, where: str) -> Json:
    try:
        return decode_json(text)
    except NotJson as error:
        raise Undecodable(f"{where} is not JSON: {error}") from None


def _json_in(result: Json, rendered: str) -> Json:
    path = parse_path(rendered)
    try:
        found = answer_value(result).at(path)
    except NotJson:
        raise Undecodable("the answer is text that is not JSON") from None
    except PathNotFound as missing:
        raise Undecodable(str(missing)) from None
    if not isinstance(found, str):
        raise Undecodable(f"`{render_path(path)}` is no text, so it holds no JSON")
    return _json(found, f"`{render_path(path)}`")


def _json_after_prose(text: str) -> Json:
    """The first list or mapping with which the text ends. A whole one before it is prose (`[1]`), and so is a bracket after which
    no JSON begins (`[docs]`); one that breaks off or is broken is neither, or its last part would be taken for the whole."""
    scanner = json.JSONDecoder(parse_int=str, parse_float=str)
    at = 0
    for _ in range(MAX_STARTS):
        opening = _OPENS.search(text, at)
        if opening is None:
            break
        try:
            _, at = scanner.raw_decode(text, opening.start())
        except json.JSONDecodeError as broken:
            if broken.pos > opening.end() or broken.msg.startswith("Unterminated"):
                raise Undecodable(f"the JSON in the text is broken: {broken.msg}") from None
            at = opening.end()
            continue
        except RecursionError:
            raise Undecodable("the JSON in the text is nested too deeply") from None
        if not text[at:].strip():
            return _json(text[opening.start() :], "the end of the text")
    raise Undecodable("the text does not end with a JSON list or mapping")


def _block(block: dict[str, Json]) -> Json:
    """A text that is a list or mapping in JSON is that value, any other text itself; other blocks are as they came."""
    text = block.get("text")
    if block.get("type") != "text" or not isinstance(text, str):
        return block
    try:
        value = decode_json(text)
    except NotJson:
        return text
    return value if isinstance(value, list | dict) else text


def _groups(text: str, pattern: str) -> Json:
    """The named groups that took part in the first match. One that did not is absent."""
    if len(text) > MAX_PATTERN_TEXT:
        raise Undecodable(f"the text is longer than {MAX_PATTERN_TEXT:,} characters, and no pattern is tried on that")
    found = re.search(pattern, text)
    if found is None:
        raise Undecodable("the text does not match the pattern")
    return {name: value for name, value in found.groupdict().items() if value is not None}
