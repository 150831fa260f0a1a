import type { RecordedResponse } from "connect-rest-runtime/recordings";

/** A recorded HTTP exchange. */
export interface Exchange {
  /** The path of the method, if the recording states it: `package.Service/Method`. */
  readonly method?: string | undefined;
  /** The request. Undefined for a body in a folder. */
  readonly request?: RecordedRequest | undefined;
  /** Whether undeclared values are placeholders, which only a recording of this project has. */
  readonly hasPlaceholders?: boolean | undefined;
  readonly response: RecordedResponse;
}

/** The parts of a recorded request that a description can be compared with. */
export interface RecordedRequest {
  /** In upper case. */
  readonly verb: string;
  readonly url: URL;
  /** Names and values in the query. */
  readonly query: readonly Parameter[];
  /** Names and values in a form or a multipart body. The value of a file is undefined. */
  readonly form: ReadonlyArray<Pick<Parameter, "name"> & Partial<Parameter>>;
  /** The keys of a JSON body with their values. Undefined without a JSON object. */
  readonly json: ReadonlyMap<string, unknown> | undefined;
}

export interface Parameter {
  readonly name: string;
  readonly value: string;
}

/** The reason why an entry of a recording has no exchange. */
export type Skipped = "websocket" | "no response" | "no body" | "not an HTTP entry";

/** A problem of a recording that prevents reading it. Its message names the file and the remedy. */
export class RecordingError extends Error {}
