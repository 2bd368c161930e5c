"""How an exception in a worker is told. Pools themselves are tested by the runs of test_run.py."""

from __future__ import annotations

import re

from pipeline.pool import explain


def test_an_exception_is_told_in_one_line_without_folders() -> None:
    try:
        raise FileNotFoundError(2, "No such file or directory", "/somewhere/of/mine/box.xml")
    except OSError as error:
        said = explain(error)
    assert re.fullmatch(
        r"FileNotFoundError: \[Errno 2\] No such file or directory: 'box\.xml' \(test_worker_pool\.py:\d+\)", said
    )


def test_only_folders_are_left_out_of_a_message() -> None:
    message = "3 m/s over a/b/c,\n  'ratio 1/2/3' of https://example.org/a/b"
    assert explain(ValueError(message)) == f"ValueError: {' '.join(message.split())}"
    assert explain(KeyError("")) == "KeyError: ''"
    assert len(explain(ValueError("x" * 5000))) < 600
