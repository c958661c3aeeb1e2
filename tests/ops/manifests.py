"""Checks deploy/kubernetes against the schemas of Kubernetes and against itself. Run by the Python of target/ops-venv, which
has kubernetes-validate and PyYAML. Writes a line for each check, `ok    …` or `FAIL  …`."""

import sys
from pathlib import Path

import kubernetes_validate
import yaml

BASE = Path(__file__).resolve().parents[2] / "deploy/kubernetes"
VERSION = "1.34"
fine = True


def check(what, holds):
    global fine
    fine &= bool(holds)
    print(f"{'ok  ' if holds else 'FAIL'}  {what}")


def seconds(text):
    return float(text.removesuffix("s"))


kustomization = yaml.safe_load((BASE / "kustomization.yaml").read_text())
files = kustomization["resources"]
check("the base lists all of its files", sorted(files) == sorted(f.name for f in BASE.glob("*.yaml") if f.name != "kustomization.yaml"))
kinds = {}
for name in files:
    for document in yaml.safe_load_all((BASE / name).read_text()):
        kinds[document["kind"]] = document
        try:
            kubernetes_validate.validate(document, VERSION, strict=True)
            check(f"{name}: {document['kind']} is what Kubernetes {VERSION} knows", True)
        except kubernetes_validate.ValidationError as error:
            check(f"{name}: {error.message} at {'/'.join(map(str, error.path))}", False)

wanted = {"Deployment", "Service", "HorizontalPodAutoscaler", "PodDisruptionBudget", "NetworkPolicy"}
check("the kinds are all there", set(kinds) == wanted)
deployment = kinds["Deployment"]["spec"]
pod = deployment["template"]["spec"]
container = pod["containers"][0]
labels = deployment["template"]["metadata"]["labels"]
ports = {port["name"]: port["containerPort"] for port in container["ports"]}
flags = dict(argument.removeprefix("--").split("=", 1) for argument in container["args"])

check("everything selects the pods", all(labels == selector for selector in (
    deployment["selector"]["matchLabels"], kinds["Service"]["spec"]["selector"],
    kinds["PodDisruptionBudget"]["spec"]["selector"]["matchLabels"], kinds["NetworkPolicy"]["spec"]["podSelector"]["matchLabels"])))
check("the flags name the ports", (int(flags["port"]), int(flags["admin-addr"].rsplit(":", 1)[1])) == (ports["http"], ports["admin"]))
check("startup, liveness and readiness are asked on the admin port",
      all(container[probe]["httpGet"]["port"] == "admin" for probe in ("startupProbe", "livenessProbe", "readinessProbe")))
check("liveness asks /livez, readiness /readyz", (container["livenessProbe"]["httpGet"]["path"], container["readinessProbe"]["httpGet"]["path"]) == ("/livez", "/readyz"))
needed = container["lifecycle"]["preStop"]["sleep"]["seconds"] + seconds(flags["drain-delay"]) + seconds(flags["shutdown-grace"]) + 2
check(f"there is time to end: {needed:g} s of {pod['terminationGracePeriodSeconds']} s", needed < pod["terminationGracePeriodSeconds"])
check("not root", pod["securityContext"]["runAsNonRoot"] and pod["securityContext"]["runAsUser"] == 65532)
check("seccomp RuntimeDefault", pod["securityContext"]["seccompProfile"]["type"] == "RuntimeDefault")
security = container["securityContext"]
check("read-only root, no capability, no way to more", security["readOnlyRootFilesystem"] and security["capabilities"] == {"drop": ["ALL"]} and security["allowPrivilegeEscalation"] is False)
check("no service links", pod["enableServiceLinks"] is False)
check("spread over nodes", "kubernetes.io/hostname" in [c["topologyKey"] for c in pod["topologySpreadConstraints"]])
check("CPU and memory are asked for, memory is limited", {"cpu", "memory"} <= set(container["resources"]["requests"]) and "memory" in container["resources"]["limits"])
MEBI = {"Mi": 1, "Gi": 1024}
limit = container["resources"]["limits"]["memory"]
held = int(flags.get("max-batches", 4)) * int(flags.get("batch-buffer", "64MiB").removesuffix("MiB"))
check(f"the memory limit holds all answers of all batches: {held} MiB of {limit}", held + 64 < int(limit[:-2]) * MEBI[limit[-2:]])
check("as many solver threads as cores are asked for", int(flags["solver-threads"]) == int(container["resources"]["requests"]["cpu"]))
autoscaler = kinds["HorizontalPodAutoscaler"]["spec"]
check("the autoscaler scales the deployment, which names no number itself", autoscaler["scaleTargetRef"]["name"] == kinds["Deployment"]["metadata"]["name"] and "replicas" not in deployment)
check("a node can be drained: fewer may be missing than there are", kinds["PodDisruptionBudget"]["spec"]["maxUnavailable"] < autoscaler["minReplicas"])
sys.exit(0 if fine else 1)
