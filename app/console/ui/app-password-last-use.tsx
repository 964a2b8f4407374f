import { formatProtocols } from "./protocols.ts";

import { RelativeTime } from "./time.tsx";

type LastUse = {
  last_used_at: string | null;
  last_used_for: string | null;
  last_used_from: string | null;
};

/** When, for which protocol and from which address an app password was last used. */
export function AppPasswordLastUse({
  password: { last_used_at: at, last_used_for: purpose, last_used_from: from },
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
