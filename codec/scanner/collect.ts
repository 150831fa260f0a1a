/** Handles the unknown keys of an object after the object ends. */
import { ascend, descend } from "./depth";
import { dynamicField } from "./dynamic";
import * as L from "./layout";
import { close, copied, goOn, hasRoom, out, put, varint } from "./output";
import { raw } from "./raw";
import {
  CHOICE,
  ENTRY,
  ENTRY_FLAGS,
  ENTRY_KEY,
  ENTRY_LENGTH,
  ENTRY_VALUE,
  HELD,
  OWN,
  TAKEN,
  take,
  waiting,
} from "./waiting";

/** Writes the deferred unknown keys since `first`, if the message collects unknown keys. */
export function collect(message: usize, first: usize, isShared: bool): bool {
  const collector = load<u32>(message, L.MESSAGE_COLLECTOR);
  const end = waiting;
  for (let entry = first; entry < end; entry += ENTRY) {
    const flags = load<u32>(entry, ENTRY_FLAGS);
    if ((flags & (CHOICE | TAKEN)) === CHOICE) return false;
    if (flags & (OWN | TAKEN)) continue;
    if (isShared && flags & HELD) continue;
    if (collector === L.COLLECTOR_STRUCT && !isShared) return structOf(message, first);
    if (collector !== L.COLLECTOR_RAW) {
      if (isShared && collector !== L.COLLECTOR_STRUCT) continue;
      return false;
    }
    take(entry);
    if (!rawEntry(load<u32>(message, L.MESSAGE_COLLECTOR_TAG), entry)) return false;
  }
  return true;
}

/** Writes the deferred unknown keys since `first` as a google.protobuf.Struct. */
function structOf(message: usize, first: usize): bool {
  // the struct, and the map in it
  if (!descend() || !descend()) return false;
  varint(load<u32>(message, L.MESSAGE_COLLECTOR_TAG));
  const start = out;
  goOn(start + 2);
  const end = waiting;
  for (let entry = first; entry < end; entry += ENTRY) {
    const flags = load<u32>(entry, ENTRY_FLAGS);
    if ((flags & (CHOICE | TAKEN)) === CHOICE) return false;
    if (flags & (OWN | TAKEN)) continue;
    take(entry);
    if (
      !structEntry(load<u32>(entry, ENTRY_KEY), load<u32>(entry, ENTRY_LENGTH), load<u32>(entry, ENTRY_VALUE))
    ) {
      return false;
    }
  }
  close(start, 2);
  ascend();
  ascend();
  return true;
}

function structEntry(key: usize, length: usize, at: usize): bool {
  if (!hasRoom(at, length)) return false;
  put(0x0a);
  const start = out;
  goOn(start + 1);
  put(0x0a);
  varint(length);
  copied(key, length);
  put(0x12);
  if (dynamicField(L.KIND_VALUE, at) === 0) return false;
  close(start, 1);
  return true;
}

/** Writes an entry of a map from unknown keys to their JSON. */
function rawEntry(fieldTag: u32, entry: usize): bool {
  const length: usize = load<u32>(entry, ENTRY_LENGTH);
  const at: usize = load<u32>(entry, ENTRY_VALUE);
  if (!hasRoom(at, length)) return false;
  varint(fieldTag);
  const start = out;
  goOn(start + 2);
  put(0x0a);
  varint(length);
  copied(load<u32>(entry, ENTRY_KEY), length);
  put(0x12);
  const textStart = out;
  goOn(textStart + 1);
  if (raw(at) === 0) return false;
  close(textStart, 1);
  close(start, 2);
  return true;
}
