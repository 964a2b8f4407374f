import type { ReactNode } from "react";

import classes from "./details.module.css";
import { StatusDot, type StatusTone } from "./status.tsx";

type DescriptionListProps = {
  items?: Record<string, ReactNode>;
  hasLongLabels?: boolean;
  children?: ReactNode;
};

/**
 * @param items by label; omits false and null values
 * @param hasLongLabels makes room for labels of several words
 * @param children more items
 */
export const DescriptionList = ({ items = {}, hasLongLabels, children }: DescriptionListProps) => (
  <dl className={classes.facts} data-long={hasLongLabels}>
    {Object.entries(items).map(
      ([label, value]) =>
        value !== false &&
        value != null && (
          <DescriptionItem key={label} label={label}>
            {value}
          </DescriptionItem>
        ),
    )}
    {children}
  </dl>
);

export const DescriptionItem = ({ label, children }: { label: string; children: ReactNode }) => (
  <div className={classes.fact}>
    <dt className={classes.name}>{label}</dt>
    <dd className={classes.value}>{children}</dd>
  </div>
);

/** A short list; children are `ItemRow`. */
export const ItemList = ({ label, children }: { label: string; children: ReactNode }) => (
  <ul aria-label={label}>{children}</ul>
);

type ItemRowProps = { title: ReactNode; children?: ReactNode; actions?: ReactNode };

/** @param actions buttons on the right */
export const ItemRow = ({ title, children, actions }: ItemRowProps) => (
  <li className={classes.row}>
    <div className={classes.words}>
      <div className={classes.title}>{title}</div>
      {children && <div className={classes.smallPrint}>{children}</div>}
    </div>
    {actions && <div className={classes.actions}>{actions}</div>}
  </li>
);

export function Timeline({ children }: { children: ReactNode }) {
  return <ol>{children}</ol>;
}

/**
 * @param quote verbatim text from others, such as an SMTP reply
 * @param aside the time and other small print
 */
export function TimelineEntry({
  tone,
  title,
  quote,
  aside,
  children,
}: {
  tone: StatusTone;
  title: ReactNode;
  quote?: string | null;
  aside?: ReactNode;
  children?: ReactNode;
}) {
  return (
    <li className={classes.entry}>
      <span className={classes.dot}>
        <StatusDot tone={tone} />
      </span>
      <div className={classes.entryWords}>
        <div className={classes.entryTitle}>{title}</div>
        {children && <div>{children}</div>}
        {quote && <Quote>{quote}</Quote>}
        {aside && <div className={classes.moment}>{aside}</div>}
      </div>
    </li>
  );
}

/** Verbatim text from others. */
export const Quote = ({ children }: { children: ReactNode }) => (
  <code className={classes.quote}>{children}</code>
);
