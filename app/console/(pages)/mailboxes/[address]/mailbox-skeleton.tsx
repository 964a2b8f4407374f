import { Skeleton } from "@mantine/core";

import { Panel } from "#app/console/ui/panel.tsx";
import { SkeletonLines } from "#app/console/ui/query-view.tsx";

const FACTS = 6;

export function MailboxSkeleton() {
  return (
    <>
      <Skeleton height={20} width="45%" mt={4} mb={8} />
      <Skeleton height={12} width={160} mb={32} />
      <Skeleton height={12} width={280} mb={24} />
      <Panel>
        <SkeletonLines count={FACTS} />
      </Panel>
    </>
  );
}
