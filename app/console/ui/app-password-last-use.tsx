import { formatProtocols } from "./protocols.ts";

import { RelativeTime } from "./time.tsx";

type LastUse = {
  lastUsedAt: string | null;
  lastUsedFor: string | null;
  lastUsedFrom: string | null;
};

/** When, for which protocol and from which address an app password was last used. */
export function AppPasswordLastUse({
  password: { lastUsedAt: at, lastUsedFor: purpose, lastUsedFrom: from },
}: {
  password: LastUse;
}) {
  if (at === null) return "Never used";
  return (
    <>
      Last used <RelativeTime at={at} />
      {purpose !== null && ` for ${formatProtocols([purpose])}`}
      {from !== null && ` from ${from}`}
    </>
  );
}
