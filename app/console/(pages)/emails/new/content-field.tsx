import { SegmentedControl, Textarea } from "@mantine/core";

import classes from "./compose-form.module.css";

export type Kind = "text" | "html";

const KINDS = [
  { value: "text", label: "Text" },
  { value: "html", label: "HTML" },
];

/** What the email says: as text, or as the HTML that a text part is made from. */
export function ContentField({
  kind,
  onKind,
  value,
  onChange,
  problem,
}: {
  kind: Kind;
  onKind: (kind: Kind) => void;
  value: string;
  onChange: (content: string) => void;
  problem: string | null;
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
        error={problem}
        {...(kind === "html" && {
          description: "Who reads text only gets a text that is made from it.",
        })}
      />
      <div className={classes.kind}>
        <SegmentedControl
          aria-label="Kind of content"
          size="xs"
          data={KINDS}
          value={kind}
          onChange={(chosen) => onKind(chosen === "html" ? "html" : "text")}
        />
      </div>
    </div>
  );
}
