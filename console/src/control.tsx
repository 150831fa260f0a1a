import type { JsonObject, JsonValue } from "@bufbuild/protobuf";
import { useState } from "preact/hooks";
import { isRequired } from "./constraints.ts";
import { controlOf, type Element, read, shown } from "./element.ts";

interface ControlProps {
  readonly id: string;
  /** The accessible name. Default: the label for the id. */
  readonly label?: string;
  readonly element: Element;
  readonly value: JsonValue | undefined;
  /** Whether an empty value differs from an absent one. */
  readonly isOptional: boolean;
  readonly rules: JsonObject;
  readonly isInvalid: boolean;
  readonly onChange: (value: JsonValue | undefined) => void;
}

/** The input of one value. */
export function Control(props: ControlProps) {
  const { element, value, isOptional, onChange } = props;
  const control = controlOf(element);
  const common = attributesOf(props);
  const write = (text: string) => onChange(text === "" ? undefined : read(element, text));
  switch (control) {
    case "json":
      return <JsonInput {...props} />;
    case "bool":
      return isOptional ? (
        <Select {...common} value={shown(element, value)} names={["false", "true"]} onChange={write} />
      ) : (
        <input
          type="checkbox"
          {...common}
          checked={value === true}
          onChange={(event) => onChange(event.currentTarget.checked ? true : undefined)}
        />
      );
    case "enum": {
      const names = element.enum?.values.map(({ name }) => name) ?? [];
      return <Select {...common} value={shown(element, value)} names={names} onChange={write} />;
    }
    case "number":
      return (
        <input
          inputMode="decimal"
          autoComplete="off"
          {...common}
          value={shown(element, value)}
          onInput={(event) => write(event.currentTarget.value.trim())}
        />
      );
    case "time":
      return (
        <>
          <input
            placeholder="2026-01-31T12:00:00Z"
            autoComplete="off"
            {...common}
            value={shown(element, value)}
            onInput={(event) => write(event.currentTarget.value)}
          />
          <button type="button" onClick={() => onChange(new Date().toISOString())}>
            Now
          </button>
        </>
      );
    default:
      return (
        <>
          <textarea
            rows={1}
            spellcheck={false}
            placeholder={control === "bytes" ? "base64" : hintOf(element)}
            {...common}
            value={shown(element, value)}
            onInput={({ currentTarget: { value: text } }) =>
              onChange(text === "" && !isOptional ? undefined : text)
            }
          />
          {control === "bytes" ? <FileInput onChange={onChange} label={`File for ${props.id}`} /> : null}
        </>
      );
  }
}

/** The formats of messages that are written as text. */
const HINTS: Readonly<Record<string, string>> = {
  "google.protobuf.Duration": "1.5s",
  "google.protobuf.FieldMask": "title,author.name",
};

function hintOf({ message }: Element): string | undefined {
  return message && HINTS[message.typeName];
}

function attributesOf({ id, label, rules, isInvalid }: ControlProps) {
  return {
    id,
    "aria-label": label,
    "aria-required": isRequired(rules) || undefined,
    "aria-invalid": isInvalid || undefined,
    "aria-describedby": isInvalid ? `${id}-problem ${id}-help` : `${id}-help`,
  };
}

type Common = ReturnType<typeof attributesOf>;

interface SelectProps extends Common {
  readonly value: string;
  readonly names: readonly string[];
  readonly onChange: (name: string) => void;
}

function Select({ value, names, onChange, ...common }: SelectProps) {
  const all = value === "" || names.includes(value) ? names : [...names, value];
  return (
    <select {...common} value={value} onChange={(event) => onChange(event.currentTarget.value)}>
      <option value="">not set</option>
      {all.map((name) => (
        <option key={name} value={name}>
          {name}
        </option>
      ))}
    </select>
  );
}

/** An input for any JSON, which keeps text that is not yet JSON. */
function JsonInput(props: ControlProps) {
  const { element, value, onChange } = props;
  const [draft, setDraft] = useState<string>();
  const write = (text: string) => {
    try {
      onChange(text.trim() === "" ? undefined : read(element, text));
      setDraft(undefined);
    } catch {
      setDraft(text);
    }
  };
  return (
    <textarea
      rows={2}
      spellcheck={false}
      placeholder="JSON"
      {...attributesOf(props)}
      aria-invalid={draft !== undefined || props.isInvalid || undefined}
      value={draft ?? shown(element, value)}
      onInput={(event) => write(event.currentTarget.value)}
    />
  );
}

function FileInput({ label, onChange }: { label: string; onChange: (base64: string) => void }) {
  const load = async (file: File | undefined) => {
    if (file !== undefined) onChange(base64Of(new Uint8Array(await file.arrayBuffer())));
  };
  return (
    <input type="file" aria-label={label} onChange={(event) => void load(event.currentTarget.files?.[0])} />
  );
}

function base64Of(bytes: Uint8Array): string {
  let text = "";
  for (const byte of bytes) text += String.fromCharCode(byte);
  return btoa(text);
}
