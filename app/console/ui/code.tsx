import { ActionIcon, Button, VisuallyHidden } from "@mantine/core";
import { useClipboard } from "@mantine/hooks";
import { IconCheck, IconCopy } from "@tabler/icons-react";

import classes from "./code.module.css";
import { useTexts } from "./texts.tsx";

const CONFIRMED_MS = 1500;

/** @param label what is copied, for tooltips and screen readers: "API key" */
export function CopyButton({ value, label }: { value: string; label: string }) {
  const text = useTexts();
  const { copied, copy } = useClipboard({ timeout: CONFIRMED_MS });
  return (
    <>
      <ActionIcon
        variant="subtle"
        color="gray"
        size="sm"
        aria-label={text("copy.label", { label })}
        title={text("copy.label", { label })}
        onClick={() => copy(value)}
      >
        {copied ? <IconCheck size={14} /> : <IconCopy size={14} />}
      </ActionIcon>
      <VisuallyHidden role="status">{copied ? text("copied") : ""}</VisuallyHidden>
    </>
  );
}

type CopyTextButtonProps = { value: string; size?: "xs"; children: string };

/** A Copy button with a visible label, for values that aren't shown beside it. */
export function CopyTextButton({ value, size, children }: CopyTextButtonProps) {
  const text = useTexts();
  const { copied, copy } = useClipboard({ timeout: CONFIRMED_MS });
  return (
    <Button
      variant="default"
      size={size}
      leftSection={copied ? <IconCheck size={14} /> : <IconCopy size={14} />}
      onClick={() => copy(value)}
    >
      {copied ? text("copied") : children}
    </Button>
  );
}

export const CopyableValue = ({ value, label }: { value: string; label: string }) => (
  <span className={classes.copied}>
    <span className={classes.mono}>{value}</span>
    <CopyButton value={value} label={label} />
  </span>
);

/** A block of code with a Copy button. */
export const CodeBlock = ({ code, label }: { code: string; label: string }) => (
  <div className={classes.block}>
    <pre className={classes.code} tabIndex={0} role="region" aria-label={label}>
      {code}
    </pre>
    <div className={classes.copy}>
      <CopyButton value={code} label={label} />
    </div>
  </div>
);

/** Renders text between backticks as code. */
export function InlineCode({ text }: { text: string }) {
  return text
    .split("`")
    .map((part, index) => (index % 2 === 1 ? <code key={index}>{part}</code> : part));
}

/** Quiet zone in modules (ISO/IEC 18004). */
const MARGIN = 4;

type QrCodeProps = { qr: { size: number; path: string }; url: string; label?: string };

/**
 * Dark on light in both themes: many cameras read no other.
 *
 * @param url the encoded URL, which the code also links to for readers on a phone
 */
export function QrCode({ qr: { size, path }, url, label }: QrCodeProps) {
  const text = useTexts();
  const side = size + 2 * MARGIN;
  return (
    <a href={url} className={classes.frame}>
      <svg
        role="img"
        aria-label={label ?? text("qr.page")}
        viewBox={`${-MARGIN} ${-MARGIN} ${side} ${side}`}
        shapeRendering="crispEdges"
        className={classes.qrCode}
      >
        <path d={path} fill="#000" />
      </svg>
    </a>
  );
}
