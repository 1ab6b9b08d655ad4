from claude_agent_sdk import ClaudeAgentOptions, ClaudeSDKClient, query
from played import model, play, question, turns

options = ClaudeAgentOptions(model=model, permission_mode="bypassPermissions")


async def ask(prompt):
    return "\n".join([str(message) async for message in query(prompt=prompt, options=options)])


async def stream():
    return await ask(question)


async def tools():
    return await ask("Use the tool Read once.")


async def conversation():
    said = ""
    async with ClaudeSDKClient(options=options) as client:
        for turn in turns:
            await client.query(turn)
            said = "\n".join([str(message) async for message in client.receive_response()])
    return said


play(stream=stream, tools=tools, conversation=conversation)
