import { readdirSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { DescMethod, DescService, Message } from "@bufbuild/protobuf";
import { createClient, type Transport } from "@connectrpc/connect";
import {
  createRestTransport,
  type FetchFunction,
  type RestTransport,
  Secret,
  type ServiceAdapter,
} from "connect-rest-runtime";
import { runImport, TestProject } from "./project.ts";

/** A request that an adapter sent. */
export interface SentRequest {
  readonly method: string;
  readonly url: URL;
  readonly headers: ReadonlyMap<string, string>;
  readonly body: Uint8Array | undefined;
}

/** The response of an upstream. */
export interface SentResponse {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array<ArrayBuffer>;
}

export interface CallResult {
  readonly requests: readonly SentRequest[];
  readonly messages: readonly Message[];
  /** The differences, as `class path: expected type, got value`. */
  readonly differences: readonly string[];
}

/** An imported and generated document whose adapters call a function in place of the upstream. */
export class CalledDocument {
  readonly services: readonly DescService[];
  private readonly adapters: readonly ServiceAdapter[];
  private readonly upstream: string;
  private readonly project: TestProject;

  private constructor(project: TestProject, upstream: string, adapters: readonly ServiceAdapter[]) {
    this.project = project;
    this.upstream = upstream;
    this.adapters = adapters;
    this.services = adapters.map(({ service }) => service);
  }

  /**
   * Imports and generates a document.
   *
   * @throws Error with the output of a tool that fails
   */
  static async load(path: string, name: string, options: readonly string[] = []): Promise<CalledDocument> {
    const project = new TestProject();
    const report = join(project.folder, "report.md");
    const names = ["--package", `${name}.v1`, "--report", report];
    const args = [path, "--output", project.folder, ...names, ...options];
    const { code, errors } = await runImport(args);
    if (code !== 0) throw new Error(errors);
    const generated = await project.buf("generate");
    if (generated.code !== 0) throw new Error(generated.output);
    const folder = join(project.folder, `gen/${name}/v1`);
    const files = readdirSync(folder).filter((file) => file.endsWith("_rest.ts"));
    const modules = await Promise.all(files.map((file) => import(pathToFileURL(join(folder, file)).href)));
    const values = modules.flatMap((module: Readonly<Record<string, unknown>>) => Object.values(module));
    return new CalledDocument(project, name, values.filter(isAdapter));
  }

  remove(): void {
    this.project.remove();
  }

  /** Returns the text of a file of the project. */
  read(path: string): string {
    return this.project.read(path);
  }

  get methods(): readonly DescMethod[] {
    return this.services.flatMap(({ methods }) => methods);
  }

  method(name: string): DescMethod {
    const found = this.methods.find((method) => method.name === name);
    if (found === undefined) throw new Error(`the document has no method ${name}`);
    return found;
  }

  /** Returns the place in the document that a method comes from; undefined for an additional method. */
  placeOf({ input }: DescMethod): string | undefined {
    const lock: unknown = JSON.parse(this.project.read("connect-rest-import.lock.json"));
    const { names } = lock as { readonly names: Readonly<Record<string, string>> };
    const source = Object.keys(names).find((key) => names[key] === input.name && key.endsWith("!request"));
    return source?.replace(/!request$/, "");
  }

  /**
   * Returns the lines of the report with causes that match, each as the element and its place in the
   * document.
   */
  reported(cause: RegExp): readonly (readonly [element: string, place: string])[] {
    const sections = this.project
      .read("report.md")
      .split(/^## /m)
      .filter((section) => cause.test(section));
    return sections.flatMap((section) => {
      return [...section.matchAll(/^- `([^`]*)`: (.*)$/gm)].map(
        ([, element = "", place = ""]) => [element, place] as const,
      );
    });
  }

  /** Returns a transport that calls an upstream at an address. */
  transportTo(address: string): RestTransport {
    const configuration = this.project.read("connect-rest.yaml");
    const names = [...configuration.matchAll(/^ {6}(\w+): http/gm)].map(([, name = ""]) => name);
    const bases = Object.fromEntries(names.map((name) => [name, address]));
    const upstream = { baseUrl: address, credentials: CREDENTIALS, bases };
    return createRestTransport({ adapters: this.adapters, upstreams: { [this.upstream]: upstream } });
  }

  /** Calls a method. `respond` answers the method's requests. */
  async call(
    method: DescMethod,
    input: object,
    respond: (request: SentRequest) => SentResponse,
  ): Promise<CallResult> {
    const requests: SentRequest[] = [];
    const differences: string[] = [];
    const fetch: FetchFunction = async (address, { method: verb, headers, body }) => {
      const request = {
        method: verb,
        url: new URL(address),
        headers: new Map(headers.map(([name, value]) => [name.toLowerCase(), value])),
        body: body === undefined ? undefined : new Uint8Array(await new Response(body).arrayBuffer()),
      };
      requests.push(request);
      const { status = 200, headers: sent = {}, body: text } = respond(request);
      return new Response(text === "" ? null : text, { status, headers: sent });
    };
    const transport = createRestTransport({
      adapters: this.adapters,
      upstreams: { [this.upstream]: { baseUrl: "https://api.test", fetch, credentials: CREDENTIALS } },
      onDifference: (report) => {
        for (const { class: kind, path, expected, got } of report.differences) {
          differences.push(`${kind} ${path}: expected ${expected}, got ${got}`);
        }
      },
    });
    try {
      return { requests, messages: await messagesOf(transport, method, input), differences };
    } finally {
      await transport.close();
    }
  }
}

const CREDENTIALS = {
  apiKey: new Secret("key"),
  oauth2: { accessToken: new Secret("token") },
  basic: { username: "user", password: new Secret("password") },
};

function isAdapter(value: unknown): value is ServiceAdapter {
  return typeof value === "object" && value !== null && "service" in value && "methods" in value;
}

/** Calls a method, and returns the messages of its response. */
export async function messagesOf(
  transport: Transport,
  method: DescMethod,
  input: object,
): Promise<Message[]> {
  const client: Readonly<Record<string, unknown>> = createClient(method.parent, transport);
  const call = client[method.localName];
  if (typeof call !== "function") throw new Error(`${method.name} cannot be called`);
  const result: unknown = call(input);
  const messages: Message[] = [];
  if (method.methodKind === "unary") return [(await result) as Message];
  for await (const message of result as AsyncIterable<Message>) messages.push(message);
  return messages;
}
