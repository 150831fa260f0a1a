import type { DescEnum, DescField, DescMessage, DescOneof, JsonObject, JsonValue } from "@bufbuild/protobuf";
import { ScalarType } from "@bufbuild/protobuf";
import type { ComponentChildren } from "preact";
import { constraintTexts, isRequired, itemRules } from "./constraints.ts";
import { Control } from "./control.tsx";
import { Doc } from "./doc.tsx";
import {
  caseOf,
  controlOf,
  type Element,
  elementOf,
  fieldValue,
  hasPresence,
  initialValue,
  isBig,
  withCase,
  withFieldValue,
} from "./element.ts";
import { isObject, type Path, pathText } from "./json.ts";
import type { Schema } from "./schema.ts";

/** What all parts of a form share. */
export interface FormContext {
  readonly schema: Schema;
  /** Texts of problems by path. */
  readonly problems: ReadonlyMap<string, readonly string[]>;
}

interface MessageProps extends FormContext {
  readonly desc: DescMessage;
  readonly json: JsonValue;
  readonly at: Path;
  readonly onChange: (json: JsonObject) => void;
}

/** The fields of a message, which read and change its ProtoJSON. */
export function MessageForm({ desc, json, at, onChange, ...context }: MessageProps) {
  const object = isObject(json) ? json : {};
  if (desc.fields.length === 0) return <p class="none">{desc.name} has no fields.</p>;
  return (
    <div class="fields">
      {desc.members.map((member) =>
        member.kind === "oneof" ? (
          <OneofField
            key={member.name}
            oneof={member}
            json={object}
            at={at}
            onChange={onChange}
            {...context}
          />
        ) : (
          <Field key={member.name} field={member} json={object} at={at} onChange={onChange} {...context} />
        ),
      )}
    </div>
  );
}

interface FieldProps<T> extends FormContext {
  readonly json: JsonObject;
  readonly at: Path;
  readonly onChange: (json: JsonObject) => void;
  readonly field: T;
}

/** A oneof: a choice of its fields, and the chosen field. */
function OneofField({
  oneof,
  json,
  at,
  onChange,
  ...context
}: Omit<FieldProps<DescField>, "field"> & { oneof: DescOneof }) {
  const chosen = caseOf(oneof, json);
  const id = idOf([...at, oneof.name]);
  const choose = (name: string) =>
    onChange(
      withCase(
        json,
        oneof,
        oneof.fields.find((field) => field.name === name),
      ),
    );
  return (
    <div class="oneof" role="group" aria-labelledby={`${id}-name`}>
      <div class="name">
        <label for={id} id={`${id}-name`}>
          {oneof.name}
        </label>
        <small>one of</small>
      </div>
      <select
        id={id}
        aria-describedby={`${id}-help`}
        value={chosen?.name ?? ""}
        onChange={(event) => choose(event.currentTarget.value)}
      >
        <option value="">none</option>
        {oneof.fields.map(({ name, jsonName }) => (
          <option key={name} value={name}>
            {jsonName}
          </option>
        ))}
      </select>
      <div id={`${id}-help`} class="help">
        <Doc text={context.schema.commentOf(oneof)} />
      </div>
      {chosen === undefined ? null : (
        <Field key={chosen.name} field={chosen} json={json} at={at} onChange={onChange} {...context} />
      )}
    </div>
  );
}

/** One field with its name, type, comment, constraints and problems. */
function Field({ field, json, at, onChange, schema, problems }: FieldProps<DescField>) {
  const path = [...at, field.jsonName];
  const id = idOf(path);
  const rules = schema.constraints(field);
  const value = fieldValue(field, json);
  const own = problems.get(pathText(path)) ?? [];
  const set = (next: JsonValue | undefined) => onChange(withFieldValue(json, field, next));
  const isGroup = field.fieldKind === "list" || field.fieldKind === "map" || isMessage(elementOf(field));
  const isSingle = !isGroup;
  const texts = constraintTexts(withEnumNames(rules, field.enum));
  return (
    <div
      class={own.length > 0 ? "field invalid" : "field"}
      {...(isGroup && { role: "group", "aria-labelledby": `${id}-name` })}
    >
      <div class="name">
        {isSingle ? (
          <label for={id}>{field.jsonName}</label>
        ) : (
          <span id={`${id}-name`}>{field.jsonName}</span>
        )}
        {isRequired(rules) ? <em>required</em> : null}
        {field.proto.options?.deprecated === true ? <em>deprecated</em> : null}
        <small>{typeText(field)}</small>
      </div>
      <FieldBody field={field} value={value} path={path} set={set} schema={schema} problems={problems} />
      {own.map((text) => (
        <p key={text} class="problem" id={`${id}-problem`}>
          {text}
        </p>
      ))}
      <div id={`${id}-help`} class="help">
        <Doc text={schema.commentOf(field)} />
        {texts.length === 0 ? null : <p class="rules">{texts.join(" · ")}</p>}
      </div>
    </div>
  );
}

interface BodyProps extends FormContext {
  readonly field: DescField;
  readonly value: JsonValue | undefined;
  readonly path: Path;
  readonly set: (value: JsonValue | undefined) => void;
}

function FieldBody(props: BodyProps) {
  if (props.field.fieldKind === "list") return <ListItems {...props} />;
  if (props.field.fieldKind === "map") return <MapEntries {...props} />;
  const { field, value, path, set, ...context } = props;
  const element = elementOf(field);
  const canClear = hasPresence(field) && field.oneof === undefined && value !== undefined;
  const { message } = element;
  if (message !== undefined && isMessage(element)) {
    if (value === undefined) return <Add what={message.name} onClick={() => set({})} />;
    return (
      <div class="nested">
        <MessageForm desc={message} json={value} at={path} onChange={set} {...context} />
        {canClear ? <Remove what={field.jsonName} onClick={() => set(undefined)} /> : null}
      </div>
    );
  }
  return (
    <div class="row">
      <Control
        id={idOf(path)}
        element={element}
        value={value}
        isOptional={hasPresence(field)}
        rules={context.schema.constraints(field)}
        isInvalid={context.problems.has(pathText(path))}
        onChange={set}
      />
      {canClear ? <Remove what={field.jsonName} onClick={() => set(undefined)} /> : null}
    </div>
  );
}

/** A value in a list or a map. */
function Item({ field, value, path, set, ...context }: BodyProps & { value: JsonValue }) {
  const element = elementOf(field);
  const texts = context.problems.get(pathText(path)) ?? [];
  return (
    <div class="item">
      {element.message !== undefined && isMessage(element) ? (
        <MessageForm desc={element.message} json={value} at={path} onChange={set} {...context} />
      ) : (
        <Control
          id={idOf(path)}
          label={pathText(path)}
          element={element}
          value={value}
          isOptional
          rules={itemRules(context.schema.constraints(field))}
          isInvalid={texts.length > 0}
          onChange={(next) => set(next ?? initialValue(element))}
        />
      )}
      {texts.map((text) => (
        <p key={text} class="problem" id={`${idOf(path)}-problem`}>
          {text}
        </p>
      ))}
    </div>
  );
}

function ListItems({ field, value, path, set, ...context }: BodyProps) {
  const items = Array.isArray(value) ? value : [];
  const element = elementOf(field);
  const keep = (next: JsonValue[]) => set(next.length === 0 ? undefined : next);
  return (
    <div class="items">
      {items.map((item, index) => (
        <div key={index} class="row">
          <Item
            field={field}
            value={item}
            path={[...path, index]}
            set={(next) => keep(items.map((each, at) => (at === index ? (next ?? each) : each)))}
            {...context}
          />
          <Remove
            what={`${field.jsonName} ${index + 1}`}
            onClick={() => keep(items.filter((_, at) => at !== index))}
          />
        </div>
      ))}
      <Add what={element.message?.name ?? "item"} onClick={() => keep([...items, initialValue(element)])} />
    </div>
  );
}

function MapEntries({ field, value, path, set, ...context }: BodyProps) {
  const entries = isObject(value) ? Object.entries(value) : [];
  const element = elementOf(field);
  const keep = (next: [string, JsonValue][]) => set(next.length === 0 ? undefined : Object.fromEntries(next));
  const change = (index: number, entry: [string, JsonValue]) =>
    keep(entries.map((each, at) => (at === index ? entry : each)));
  const isText = field.fieldKind === "map" && field.mapKey === ScalarType.STRING;
  const free = (number: number): string => {
    const key = isText ? `key${number}` : String(number);
    return entries.some(([name]) => name === key) ? free(number + 1) : key;
  };
  return (
    <div class="items">
      {entries.map(([key, item], index) => (
        <div key={index} class="row entry">
          <input
            class="key"
            aria-label={`key ${index + 1} of ${field.jsonName}`}
            value={key}
            onChange={(event) => change(index, [event.currentTarget.value, item])}
          />
          <Item
            field={field}
            value={item}
            path={[...path, key]}
            set={(next) => change(index, [key, next ?? item])}
            {...context}
          />
          <Remove
            what={`${field.jsonName} ${key}`}
            onClick={() => keep(entries.filter((_, at) => at !== index))}
          />
        </div>
      ))}
      <Add what="entry" onClick={() => keep([...entries, [free(1), initialValue(element)]])} />
    </div>
  );
}

function Add({ what, onClick }: { what: string; onClick: () => void }) {
  return (
    <Small onClick={onClick} class="add">
      Add {what}
    </Small>
  );
}

function Remove({ what, onClick }: { what: string; onClick: () => void }) {
  return (
    <Small onClick={onClick} class="remove" label={`Remove ${what}`}>
      ×
    </Small>
  );
}

interface SmallProps {
  readonly children: ComponentChildren;
  readonly class: string;
  readonly label?: string;
  readonly onClick: () => void;
}

function Small({ children, label, class: name, onClick }: SmallProps) {
  return (
    <button type="button" class={name} aria-label={label} title={label} onClick={onClick}>
      {children}
    </button>
  );
}

/** Returns rules for an enum with the names of its values in place of their numbers. */
function withEnumNames(rules: JsonObject, desc: DescEnum | undefined): JsonObject {
  if (desc === undefined || !isObject(rules.enum)) return rules;
  const named = Object.entries(rules.enum).map(([name, numbers]) => [
    name,
    Array.isArray(numbers) ? numbers.map((each) => desc.value[Number(each)]?.name ?? each) : numbers,
  ]);
  return { ...rules, enum: Object.fromEntries(named) as JsonObject };
}

/** Returns the id of the input of a field, from which the ids of its texts derive. */
export function idOf(path: Path): string {
  return `field-${path.map(String).join("-")}`;
}

function isMessage(element: Element): boolean {
  return controlOf(element) === "message";
}

/** Returns the type of a field as in a .proto file. */
function typeText(field: DescField): string {
  const element = elementOf(field);
  const { scalar, message } = element;
  const scalarText = scalar === undefined ? "" : ScalarType[scalar].toLowerCase();
  const type = message?.name ?? element.enum?.name ?? scalarText;
  if (field.fieldKind === "list") return `list of ${type}`;
  if (field.fieldKind === "map") return `map from ${ScalarType[field.mapKey].toLowerCase()} to ${type}`;
  return isBig(element) && message === undefined ? `${type}, as text` : type;
}
