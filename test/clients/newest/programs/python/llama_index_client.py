import base64

from llama_index.core.agent.workflow import FunctionAgent
from llama_index.core.base.llms.types import ImageBlock, TextBlock
from llama_index.core.llms import ChatMessage
from llama_index.llms.anthropic import Anthropic
from played import key, long_text, model, pixel, play, question, read_keystone, turns, url, use_tool


def claude(**more):
    return Anthropic(model=model, base_url=url, api_key=key, max_tokens=4_000, **more)


adaptive = {"thinking_dict": {"type": "adaptive"}}


def answer():
    return claude().complete(question).text


def stream():
    return [part.text for part in claude().stream_complete(question)][-1]


async def tools():
    return str(await FunctionAgent(tools=[read_keystone], llm=claude()).run(use_tool))


def thinking():
    return claude(**adaptive).chat([ChatMessage(question)]).message.content


def image():
    blocks = [TextBlock(text=question), ImageBlock(image=base64.b64decode(pixel), image_mimetype="image/png")]
    return claude().chat([ChatMessage(role="user", blocks=blocks)]).message.content


def cache():
    system = ChatMessage(role="system", content=long_text, additional_kwargs={"cache_control": {"type": "ephemeral"}})
    return [claude().chat([system, ChatMessage(question)]).message.content for _ in range(2)][-1]


def conversation():
    messages = []
    for turn in turns:
        messages.append(ChatMessage(turn))
        messages.append(claude(**adaptive).chat(messages).message)
    return messages[-1].content


play(answer=answer, stream=stream, tools=tools, thinking=thinking, image=image, cache=cache, conversation=conversation)
