import { Button, Text, Title } from "@mantine/core";
import { type ReactNode, useId } from "react";

import classes from "./danger-zone.module.css";

type Act =
  { actionLabel: string; onAction: () => void } | { actionLabel?: never; onAction?: never };

/**
 * The box at the end of a page for what cannot be undone: what it is, what will happen, and the button.
 *
 * @param verb what the button does, in its words ("Delete domain"); a dialog that asks again should follow.
 * Without it the text says why it cannot be done
 */
export function DangerZone({
  title,
  actionLabel,
  onAction,
  children,
}: {
  title: string;
  children: ReactNode;
} & Act) {
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
