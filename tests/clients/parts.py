"""A session in parts: each is run, what failed is printed, and the end says whether all went well."""

import sys
import traceback


class Parts:
    """Runs parts one after the other, so that one fault does not hide those behind it."""

    def __init__(self):
        self.failed = []

    def run(self, name, work, *arguments):
        try:
            work(*arguments)
        except Exception:
            self.fail(name)

    async def await_each(self, name, work, *arguments):
        try:
            await work(*arguments)
        except Exception:
            self.fail(name)

    def fail(self, name):
        self.failed.append(name)
        print(f"FAILED {name}\n{traceback.format_exc()}")

    def end(self):
        sys.exit(f"failed: {', '.join(self.failed)}" if self.failed else 0)


def same(got, wanted, what=""):
    """What `assert` says too little about."""
    if got != wanted or type(got) is not type(wanted):
        raise AssertionError(f"{what}: {got!r} instead of {wanted!r}")
