import { type Line, RecordTooLarge } from "./lines.ts";

/** The cost of a line of data in addition to its characters, since each line is stored separately. */
const LINE_COST = 32;

/** An event of `text/event-stream`. */
export interface ServerEvent {
  /** The name of the event. Default: `message`. */
  readonly event: string;
  /** The last event ID, which applies until the next ID. Empty if there was none. */
  readonly id: string;
  /** The lines of data, joined by line feeds. */
  readonly data: string;
  /** Whether the event is complete. False if the body ended before the empty line after the event. */
  readonly ended: boolean;
  /** Whether the lines had invalid UTF-8. */
  readonly malformed: boolean;
}

/**
 * Parses lines into events (WHATWG HTML section 9.2.6). Skips events without data. An incomplete event at the
 * end of the body, which the standard drops, is yielded with `ended` false. Ignores `retry`, since this
 * client does not reconnect.
 *
 * @param maxLength the maximum number of characters of an event, including its name and ID; each line of data
 *   counts as 32 more
 * @throws RecordTooLarge, or the errors of the lines
 */
export async function* eventsOf(
  lines: AsyncIterable<readonly Line[]>,
  maxLength: number,
): AsyncGenerator<ServerEvent> {
  const event = new Collected(maxLength);
  let isFirst = true;
  for await (const chunk of lines) {
    for (const { text, ended, malformed } of chunk) {
      const line = isFirst && text.charCodeAt(0) === 0xfeff ? text.slice(1) : text;
      isFirst = false;
      if (line !== "") event.take(line, malformed);
      if (line !== "" || !ended) continue;
      if (event.hasData) {
        yield event.dispatch(true);
      } else {
        event.clear();
      }
    }
  }
  if (event.hasData) yield event.dispatch(false);
}

class Collected {
  private readonly maxLength: number;
  private name = "";
  private id = "";
  private data: string[] = [];
  private length = 0;
  private malformed = false;

  constructor(maxLength: number) {
    this.maxLength = maxLength;
  }

  get hasData(): boolean {
    return this.data.length > 0;
  }

  take(line: string, malformed: boolean): void {
    this.malformed ||= malformed;
    const colon = line.indexOf(":");
    const field = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? "" : line.slice(line[colon + 1] === " " ? colon + 2 : colon + 1);
    if (field === "event") {
      this.name = value;
    } else if (field === "data") {
      this.length += value.length + LINE_COST;
      this.data.push(value);
    } else if (field === "id" && !value.includes("\0")) this.id = value;
    if (this.name.length + this.id.length + this.length > this.maxLength) throw new RecordTooLarge();
  }

  dispatch(ended: boolean): ServerEvent {
    const { id, malformed } = this;
    const event = { event: this.name || "message", id, data: this.data.join("\n"), ended, malformed };
    this.clear();
    return event;
  }

  clear(): void {
    this.name = "";
    this.data = [];
    this.length = 0;
    this.malformed = false;
  }
}
