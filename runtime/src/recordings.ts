/**
 * Reads recorded exchanges: the parts of the runtime that commands need and servers do not load. This API may
 * change without notice between releases.
 */

export { type ReadRecording, type RecordedResponse, RecordingReader } from "./recordings/recording-reader.ts";
export { type RequestNames, readsText, requestNamesOf } from "./recordings/request-names.ts";
export { bindingsOf, type WireBinding } from "./recordings/wire-bindings.ts";
export { ArrayFault, ArraySplitter } from "./stream/array-splitter.ts";
export { RecordTooLarge } from "./stream/lines.ts";
