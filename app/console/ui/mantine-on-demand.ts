export { Menu } from "@mantine/core";
export { Notifications as Notifications, notifications } from "@mantine/notifications";
