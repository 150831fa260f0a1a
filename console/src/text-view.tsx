import type { ComponentChildren } from "preact";

interface TextViewProps {
  readonly label: string;
  readonly children: ComponentChildren;
}

/** A long text, which the keyboard can scroll. */
export function TextView({ label, children }: TextViewProps) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard scrolls the text
    <pre class="json" tabIndex={0} role="region" aria-label={label}>
      {children}
    </pre>
  );
}
