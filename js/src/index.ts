import "./style.css";

export default { render: () => () => undefined };
