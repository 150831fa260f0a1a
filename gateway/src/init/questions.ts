/** The questions that `connect-rest init` asks in a terminal. */
import { createInterface } from "node:readline/promises";
import { addressFault, CREDENTIALS, type CredentialsKind, isName, UNKNOWN_URL } from "./project.ts";

/** The answers from the command line; undefined for each missing answer. */
export interface Given {
  readonly name?: string | undefined;
  readonly openapi?: string | undefined;
  readonly baseUrl?: string | undefined;
  readonly credentials?: CredentialsKind | undefined;
}

/** A terminal: the input that provides answers, and the output on which questions are printed. */
export interface Terminal {
  readonly input: NodeJS.ReadableStream;
  readonly output: NodeJS.WritableStream;
}

/** Asks for the answers that the command line lacks. Resolves to undefined if the input ends. */
export async function ask(given: Given, defaultName: string, streams: Terminal): Promise<Given | undefined> {
  const terminal = createInterface(streams);
  try {
    return await askBy(new Prompt(streams.output, terminal), given, defaultName);
  } catch (error) {
    if (error instanceof InputEnded) return undefined;
    throw error;
  } finally {
    terminal.close();
  }
}

async function askBy(prompt: Prompt, given: Given, defaultName: string): Promise<Given> {
  const name =
    given.name ??
    (await prompt.ask(`Name of the API, as in the package ${defaultName}.v1`, defaultName, isName));
  const openapi = given.openapi ?? (await prompt.ask("OpenAPI or Swagger document", "none"));
  if (openapi !== undefined) return { name, openapi };
  const baseUrl = given.baseUrl ?? (await prompt.ask("Address of the API", UNKNOWN_URL, isAddress));
  const kinds = Object.keys(CREDENTIALS);
  const credentials =
    given.credentials ??
    (await prompt.ask(`Credentials: ${kinds.join(", ")}`, "none", (answer) => kinds.includes(answer)));
  return { name, openapi, baseUrl, credentials: credentials as CredentialsKind | undefined };
}

function isAddress(text: string): boolean {
  return addressFault(text) === undefined;
}

/** Thrown if the input ends before all questions have been answered. */
class InputEnded extends Error {}

class Prompt {
  private readonly output: NodeJS.WritableStream;
  private readonly lines: AsyncIterator<string>;

  constructor(output: NodeJS.WritableStream, lines: AsyncIterable<string>) {
    this.output = output;
    this.lines = lines[Symbol.asyncIterator]();
  }

  /** Asks until the answer is valid. Returns undefined for an empty answer, which selects the default. */
  async ask(
    question: string,
    byDefault: string,
    isValid: (answer: string) => boolean = () => true,
  ): Promise<string | undefined> {
    for (;;) {
      this.output.write(`${question} (${byDefault}): `);
      const line = await this.lines.next();
      if (line.done === true) throw new InputEnded();
      const answer = line.value.trim();
      if (answer === "") return undefined;
      if (isValid(answer)) return answer;
      this.output.write(`  ${answer} is not possible here\n`);
    }
  }
}
