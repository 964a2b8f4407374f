export { Notifications as Notifications, notifications } from "@mantine/notifications";
