import { Anchor } from "@mantine/core";

import { NearLink } from "#app/console/ui/near-link.tsx";

/** To a page of the console, in the middle of a sentence. */
export function PageLink({ to, children }: { to: string; children: string }) {
  return (
    <Anchor component={NearLink} href={`/console/${to}`} inherit underline="always">
      {children}
    </Anchor>
  );
}
