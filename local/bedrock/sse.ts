// A parser of server-sent events in a byte stream.

export type ServerSentEvent = { event: string; data: string };

/** The events with data. Comments, ids and retry times are ignored; an incomplete event at the end is dropped. */
export async function* serverSentEvents(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<ServerSentEvent, void> {
  const decoder = new TextDecoder();
  let rest = "";
  let event = "";
  let data: string[] = [];
  for await (const chunk of bytes) {
    rest += decoder.decode(chunk, { stream: true });
    const lines = rest.split("\n");
    rest = lines.pop() ?? "";
    for (const ended of lines) {
      const line = ended.endsWith("\r") ? ended.slice(0, -1) : ended;
      if (line === "") {
        if (data.length > 0) yield { event, data: data.join("\n") };
        event = "";
        data = [];
      }
      const [, field, value = ""] = /^(event|data):? ?(.*)$/.exec(line) ?? [];
      if (field === "event") event = value;
      if (field === "data") data.push(value);
    }
  }
}
