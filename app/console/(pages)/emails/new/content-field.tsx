import { SegmentedControl, Textarea } from "@mantine/core";

import classes from "./compose-form.module.css";

export type ContentKind = "text" | "html";

const KINDS = [
  { value: "text", label: "Text" },
  { value: "html", label: "HTML" },
];

/** The email's body, as plain text or HTML. */
export function ContentField({
  kind,
  onKind,
  value,
  onChange,
  error,
}: {
  kind: ContentKind;
  onKind: (kind: ContentKind) => void;
  value: string;
  onChange: (content: string) => void;
  error: string | null;
}) {
  return (
    <div className={classes.content}>
      <Textarea
        label="Content"
        size="md"
        rows={12}
        resize="vertical"
        className={kind === "html" ? classes.source : undefined}
        placeholder={kind === "html" ? "<p>Hello</p>" : "Hello"}
        spellCheck={kind === "text"}
        value={value}
        onChange={(event) => onChange(event.currentTarget.value)}
        error={error}
        {...(kind === "html" && {
          description: "We’ll generate a plain-text version from the HTML.",
        })}
      />
      <div className={classes.kind}>
        <SegmentedControl
          aria-label="Content type"
          size="xs"
          data={KINDS}
          value={kind}
          onChange={(value) => onKind(value === "html" ? "html" : "text")}
        />
      </div>
    </div>
  );
}
