import instructor
from anthropic import Anthropic
from played import key, model, play, question, url, use_tool
from pydantic import BaseModel

client = instructor.from_anthropic(Anthropic(base_url=url, api_key=key))


class Arch(BaseModel):
    inscription: str


def ask(content, **more):
    messages = [{"role": "user", "content": content}]
    return client.messages.create(model=model, max_tokens=4_000, messages=messages, response_model=Arch, **more)


def answer():
    return f"{ask(question)}"


def stream():
    messages = [{"role": "user", "content": question}]
    parts = client.messages.create_partial(model=model, max_tokens=4_000, messages=messages, response_model=Arch)
    return f"{list(parts)[-1]}"


play(answer=answer, stream=stream)
