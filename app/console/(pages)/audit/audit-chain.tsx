import { Text } from "@mantine/core";

import { CopyButton } from "#app/console/ui/copy-button.tsx";
import { formatCount } from "#app/console/ui/format.ts";
import { ExactTime } from "#app/console/ui/time.tsx";

import classes from "./audit-chain.module.css";
import type { AuditAnswer } from "./queries.ts";

/** The signed end of the log's hash chain, to store on another system. */
export function AuditChain({ head }: { head: NonNullable<AuditAnswer["head"]> }) {
  return (
    <section className={classes.chain} aria-label="Signed head">
      <Text size="sm">
        Signed through entry {formatCount(head.sequence)} on <ExactTime at={head.signedAt} />
      </Text>
      <div className={classes.hash}>
        <code>{head.hash}</code>
        <CopyButton value={head.signature} label="signed head" />
      </div>
    </section>
  );
}
