pytest_plugins = ["sluice_pytest"]
