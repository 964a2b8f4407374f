import { Button, Text, Title } from "@mantine/core";
import { type ReactNode, useId } from "react";

import classes from "./panel.module.css";

type PanelProps = { title?: string; aside?: ReactNode; children: ReactNode };

/** A titled section of a page. */
export function Panel({ title, aside, children }: PanelProps) {
  const titleId = useId();
  return (
    <section className={classes.panel} aria-labelledby={title && titleId}>
      {title && (
        <div className={classes.head}>
          <Title order={2} id={titleId}>
            {title}
          </Title>
          {aside}
        </div>
      )}
      {children}
    </section>
  );
}

/** A sidebar beside the content, or above it on narrow screens. */
export const SideBySide = ({ side, children }: { side: ReactNode; children: ReactNode }) => (
  <div className={classes.both}>
    <div className={classes.side}>{side}</div>
    {children}
  </div>
);

/** Shown instead of an empty list: what belongs here, and the next step. */
export const EmptyState = ({ title, children }: { title: string; children: ReactNode }) => (
  <section className={classes.empty} aria-label={title}>
    <Title order={2}>{title}</Title>
    {children}
  </section>
);

type Action =
  { actionLabel: string; onAction: () => void } | { actionLabel?: never; onAction?: never };

type DangerZoneProps = {
  title: string;
  children: ReactNode;
} & Action;

/**
 * The box at the end of a page for an action that can't be undone.
 *
 * @param actionLabel the button, which should open a confirmation dialog. Without it, `children` says why
 * the action isn't available
 */
export function DangerZone({ title, actionLabel, onAction, children }: DangerZoneProps) {
  const titleId = useId();
  return (
    <section className={classes.zone} aria-labelledby={titleId}>
      <div className={classes.words}>
        <Title order={2} id={titleId}>
          {title}
        </Title>
        <Text c="dimmed" component="div">
          {children}
        </Text>
      </div>
      {actionLabel && (
        <Button variant="default" c="var(--mantine-color-error)" onClick={onAction}>
          {actionLabel}
        </Button>
      )}
    </section>
  );
}
