import { Anchor } from "@mantine/core";

import { NearLink } from "#app/console/ui/near-link.tsx";

/** An inline link to a console page. */
export function PageLink({ to, children }: { to: string; children: string }) {
  return (
    <Anchor component={NearLink} href={`/console/${to}`} inherit underline="always">
      {children}
    </Anchor>
  );
}
