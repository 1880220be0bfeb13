import DefaultTheme from "vitepress/theme";
import ClusterEditor from "./ClusterEditor.vue";
import "./offline";
import "./theme.css";

export default {
  extends: DefaultTheme,
  enhanceApp({ app }: { app: { component(name: string, component: unknown): void } }) {
    app.component("ClusterEditor", ClusterEditor);
  },
};
