"""Policies as bots: one file of Python that plays on a hill."""

from __future__ import annotations

import ast
import base64
import builtins
import inspect
import io
import textwrap
import zlib
from os import PathLike, chmod, fspath
from typing import Any, Callable, Mapping

import numpy as np
from numpy.typing import ArrayLike

from . import seen

BOT = '''#!/usr/bin/env python3
# A bot for {game}, made by referee.to_bot. It needs {needs}.
{imports}

{seen}

{policy}

def main():
    game = GAMES[{game!r}](**{parameters!r})
    weights = load({weights!r})
    for number, line in enumerate(sys.stdin, 1):
        observation, mask = game.see([int(word) for word in line.split()][1:])
        action = {name}(*arrays(game, observation, mask), weights)
        numbers = action if hasattr(action, "__len__") else [action]
        print(f"@{{number}}", *game.integers([int(each) for each in numbers]), flush=True)

{load}

main()
'''

WITH_NUMPY = '''def load(text):
    return dict(np.load(io.BytesIO(base64.b85decode(text))))


def arrays(game, observation, mask):
    rows = np.frombuffer(mask, np.int8).reshape(-1, game.choices)
    return np.frombuffer(observation, np.uint8).reshape(game.shape), rows if len(rows) > 1 else rows[0]
'''

WITHOUT = '''def load(text):
    return json.loads(zlib.decompress(base64.b85decode(text)))


def arrays(game, observation, mask):
    return observation, mask
'''


def to_bot(
    policy: Callable[..., Any],
    path: str | PathLike[str],
    *,
    game: str,
    weights: Mapping[str, ArrayLike] | None = None,
    numpy: bool = True,
    **parameters: int | str,
) -> None:
    """Writes an executable file that plays a game by `policy(observation, mask, weights)`, which returns an action.

    The policy is a plain function. Its source is copied, so it can use only its arguments, builtins, `np` and its own
    imports. With `numpy`, observation, mask and weights are arrays, as in the environments; the host needs numpy for
    bots. Without, observation and mask are bytes, weights are lists, and every host with Python can run the bot.
    `parameters` are the game's parameters that change the observation: `p` of football.

    Raises ValueError for an unknown game, TypeError for a policy that uses anything else.
    """
    if game not in seen.GAMES:
        raise ValueError(f"no such game: {game} (there are: {', '.join(seen.GAMES)})")
    text = source(policy, {"np"} if numpy else set())
    kept = {name: np.asarray(array) for name, array in (weights or {}).items()}
    imports = ["base64", "io", "sys", "numpy as np"] if numpy else ["base64", "json", "sys", "zlib"]
    bot = BOT.format(
        game=game,
        needs="numpy" if numpy else "nothing but Python",
        imports="\n".join(["from __future__ import annotations", *(f"import {name}" for name in imports)]),
        seen=inspect.getsource(seen).replace("from __future__ import annotations\n", ""),
        policy=text,
        name=policy.__name__,
        parameters=parameters,
        weights=packed(kept, numpy),
        load=WITH_NUMPY if numpy else WITHOUT,
    )
    compile(bot, fspath(path), "exec")
    with open(path, "w", encoding="utf-8") as file:
        file.write(bot)
    chmod(path, 0o755)


def source(policy: Callable[..., Any], known: set[str]) -> str:
    """Returns the source of a function. It may use only builtins and the known names from outside."""
    if not inspect.isfunction(policy) or policy.__name__ == "<lambda>":
        raise TypeError(f"a policy must be a function defined with def, not {policy!r}")
    code, text = policy.__code__, textwrap.dedent(inspect.getsource(policy))
    function = ast.parse(text).body[0]
    assert isinstance(function, ast.FunctionDef)
    if function.decorator_list:
        raise TypeError(f"{policy.__name__}: a policy cannot have decorators")
    names, codes = set(code.co_freevars), [code]
    while codes:
        code = codes.pop()
        names |= {name for name in code.co_names if name in policy.__globals__}
        codes += [inner for inner in code.co_consts if inspect.iscode(inner)]
    outside = sorted(names - known - set(dir(builtins)))
    if outside:
        raise TypeError(f"{policy.__name__} uses {', '.join(outside)}: pass it in weights, or import it inside")
    return text


def packed(weights: Mapping[str, Any], numpy: bool) -> str:
    if not numpy:
        import json

        lists = {name: array.tolist() for name, array in weights.items()}
        return base64.b85encode(zlib.compress(json.dumps(lists).encode())).decode()
    file = io.BytesIO()
    np.savez_compressed(file, **weights)
    return base64.b85encode(file.getvalue()).decode()
