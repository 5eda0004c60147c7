"""TPC-H's queries, and the rows that the program's shell prints for them (cli/tests/clients/queries.rs writes both)."""

import datetime
import decimal
import pathlib

NUMBERS = range(1, 23)


class Query:
    """A query: its text, the text with `$1`, `$2`, … in place of strings, these strings, and the rows as texts."""

    def __init__(self, folder, number):
        read = lambda ending: (pathlib.Path(folder) / f"q{number:02}.{ending}").read_text(encoding="utf-8")
        self.number = number
        self.text = read("sql")
        self.parametrised = read("parameters.sql")
        self.parameters = read("parameters").splitlines()
        self.rows = [line.split("\t") for line in read("rows").splitlines()]

    def compare(self, rows, how):
        """Fails where rows of values are not those that the shell prints."""
        texts = [[text(value) for value in row] for row in rows]
        if texts != self.rows:
            pairs = zip(texts, self.rows)
            differ = next((pair for pair in pairs if pair[0] != pair[1]), (len(texts), len(self.rows)))
            raise AssertionError(f"query {self.number}, {how}: {differ[0]} instead of {differ[1]}")


def queries(folder):
    return [Query(folder, number) for number in NUMBERS]


def text(value):
    """A value as the shell prints it in CSV."""
    if value is None:
        return ""
    if isinstance(value, decimal.Decimal):
        return format(value, "f")
    if isinstance(value, (int, str)) and not isinstance(value, bool):
        return str(value)
    if type(value) is datetime.date:
        return value.isoformat()
    raise AssertionError(f"no query has a {type(value).__name__}: {value!r}")
