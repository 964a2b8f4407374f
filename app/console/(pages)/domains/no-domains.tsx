import { Text } from "@mantine/core";
import type { ReactNode } from "react";

import { EmptyList } from "#app/console/ui/empty-list.tsx";

import classes from "./no-domains.module.css";

/** What one sees before the first domain: what it is for, and the way it goes. */
export function NoDomains({ add }: { add: ReactNode }) {
  return (
    <EmptyList title="Send as your own domain">
      <Text c="dimmed">
        Email goes out as somebody at a domain of yours, such as hello@northwind.com, and mailboxes
        get their addresses in it. A few records in its DNS prove that it is yours and let other
        mail servers check what you send.
      </Text>
      <ol className={classes.steps}>
        {STEPS.map(([title, text]) => (
          <li key={title}>
            <strong>{title}</strong>
            <span>{text}</span>
          </li>
        ))}
      </ol>
      {add ? (
        <div>{add}</div>
      ) : (
        <Text>You need the privilege Domains to add one. Ask an owner of your company for it.</Text>
      )}
    </EmptyList>
  );
}

const STEPS = [
  ["Add the domain.", "Only its name is needed."],
  ["Prove that it is yours.", "You publish one TXT record, and we look for it."],
  ["Publish the mail records.", "To copy one by one, as a zone file, or as a page to hand over."],
] as const;
