from haystack.components.agents import Agent
from haystack.dataclasses import ChatMessage, ImageContent
from haystack.tools import create_tool_from_function
from haystack.utils import Secret
from haystack_integrations.components.generators.anthropic import AnthropicChatGenerator
from played import key, model, pixel, play, question, read_keystone, turns, use_tool


def claude(**more):
    settings = {"max_tokens": 4_000, **more.pop("settings", {})}
    return AnthropicChatGenerator(model=model, api_key=Secret.from_token(key), generation_kwargs=settings, **more)


adaptive = {"settings": {"thinking": {"type": "adaptive"}}}


def ask(messages, **more):
    return claude(**more).run(messages=messages)["replies"][0]


def answer():
    return ask([ChatMessage.from_user(question)]).text


def stream():
    return ask([ChatMessage.from_user(question)], streaming_callback=lambda chunk: None).text


def tools():
    agent = Agent(chat_generator=claude(), tools=[create_tool_from_function(read_keystone)])
    return agent.run(messages=[ChatMessage.from_user(use_tool)])["messages"][-1].text


def thinking():
    return ask([ChatMessage.from_user(question)], **adaptive).text


def image():
    picture = ImageContent(base64_image=pixel, mime_type="image/png")
    return ask([ChatMessage.from_user(content_parts=[question, picture])]).text


def conversation():
    messages = []
    for turn in turns:
        messages.append(ChatMessage.from_user(turn))
        messages.append(ask(messages, **adaptive))
    return messages[-1].text


play(answer=answer, stream=stream, tools=tools, thinking=thinking, image=image, conversation=conversation)
