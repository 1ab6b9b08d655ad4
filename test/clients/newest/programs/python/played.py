"""What a scenario is played with. A program calls `play` with a function for each scenario that its library has a feature for."""
import asyncio
import inspect
import os
import sys

url = os.environ["ARCHWAY_URL"]
key = os.environ["ARCHWAY_KEY"]
model = os.environ["ARCHWAY_MODEL"]

question = "What is an arch?"
turns = [f"What is arch number {number}?" for number in range(1, 9)]
long_text = "A long text about arches. " * 1_000
pixel = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
use_tool = "Use read_keystone."

no_such_feature = 64


def read_keystone(side: str) -> str:
    """Reads the keystone's inscription.

    Args:
        side: the side that is read
    """
    return "seventeen keystones"


def play(**scenarios):
    scenario = scenarios.get(sys.argv[1])
    if scenario is None:
        sys.exit(no_such_feature)
    if inspect.iscoroutinefunction(scenario):
        print(asyncio.run(scenario()))
    else:
        print(scenario())
