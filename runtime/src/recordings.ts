/**
 * Records exchanges with upstreams, and reads recordings: the parts of the runtime that are loaded only where
 * they are used. `openRecording` and its types are stable; the rest may change without notice between
 * releases.
 */

export { openRecording, type Recording, type RecordingOptions } from "./recordings/recorder.ts";
export { type ReadRecording, type RecordedResponse, RecordingReader } from "./recordings/recording-reader.ts";
export { type RequestNames, readsText, requestNamesOf } from "./recordings/request-names.ts";
export { bindingsOf, type WireBinding } from "./recordings/wire-bindings.ts";
export { ArrayFault, ArraySplitter } from "./stream/array-splitter.ts";
export { RecordTooLarge } from "./stream/lines.ts";
