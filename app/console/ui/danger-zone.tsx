import { Button, Text, Title } from "@mantine/core";
import { type ReactNode, useId } from "react";

import classes from "./danger-zone.module.css";

type Action =
  { actionLabel: string; onAction: () => void } | { actionLabel?: never; onAction?: never };

/**
 * The box at the end of a page for an action that can't be undone.
 *
 * @param actionLabel the button, which should open a confirmation dialog. Without it, `children` says why
 * the action isn't available
 */
export function DangerZone({
  title,
  actionLabel,
  onAction,
  children,
}: {
  title: string;
  children: ReactNode;
} & Action) {
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
