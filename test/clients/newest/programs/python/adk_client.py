from google.adk.agents import LlmAgent
from google.adk.models.lite_llm import LiteLlm
from google.adk.runners import InMemoryRunner
from played import key, model, play, question, read_keystone, turns, url, use_tool


def mason(**more):
    claude = LiteLlm(model=f"anthropic/{model}", api_base=url, api_key=key)
    return InMemoryRunner(LlmAgent(name="mason", model=claude, **more))


async def ask(runner, words):
    events = await runner.run_debug(words, quiet=True)
    return "".join(part.text or "" for part in events[-1].content.parts)


async def answer():
    return await ask(mason(), question)


async def tools():
    return await ask(mason(tools=[read_keystone]), use_tool)


async def conversation():
    runner = mason()
    return [await ask(runner, turn) for turn in turns][-1]


play(answer=answer, tools=tools, conversation=conversation)
