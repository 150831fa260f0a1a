import { z } from "zod";
import { flag, text } from "./schema-parts.ts";

const MIB = 1024 * 1024;

/** The settings of a recording. */
export const recordSchema = z.strictObject({
  file: text.describe(
    "The HAR file, relative to this file. Only its owner can read it. An existing file is renamed: `recording.har` becomes `recording.har.1`. Each worker writes a file of its own, e.g. `recording.2.har`.",
  ),
  share: z.number().min(0).max(1).default(1).describe("The share of calls that are recorded, from 0 to 1."),
  methods: z
    .array(text)
    .default([])
    .describe(
      "The methods to record: `package.Service/Method`, `package.Service`, or a prefix followed by `*`. Default: all methods.",
    ),
  statuses: z
    .array(
      z.union([z.int().min(100).max(599), z.string().regex(/^[1-5]xx$/)], {
        error: "expected a status, e.g. 404, or a class of statuses, e.g. 5xx",
      }),
    )
    .default([])
    .describe("The statuses of the responses to record, e.g. `[404, 5xx]`. Default: all statuses."),
  onlyDifferences: flag(false).describe("Record only responses that differ from their description."),
  values: flag(false).describe(
    "Record values that the description does not declare. By default, placeholders of the same JSON type, length and notation take their place.",
  ),
  maxBodyBytes: z
    .int()
    .min(1)
    .max(4 * MIB)
    .default(MIB / 4)
    .describe("The maximum size of a recorded body. Larger bodies are omitted."),
  maxFileBytes: z
    .int()
    .min(1)
    .default(64 * MIB)
    .describe("The size at which another file begins."),
  maxFiles: z
    .int()
    .min(1)
    .max(1000)
    .default(5)
    .describe("The number of files that are kept, including the current file."),
});
